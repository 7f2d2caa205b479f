"""Pages of background jobs: progress, cancel, run again, and the list of recent ones."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from querykin.server.jobs.job import Job
from querykin.server.views import get_service, render_errors, render_page

router = APIRouter()
REFRESH_SECONDS = 2  # of the page without scripts


@router.get("/jobs")
@render_errors
async def jobs(request: Request) -> Response:
    """List of the jobs on record, newest first."""
    service = get_service(request)
    return render_page(request, "jobs.html", jobs=await service.call(service.jobs.recent))


@router.get("/jobs/{job_id}")
@render_errors
async def job(request: Request, job_id: str) -> Response:
    """The progress of a job; a redirect to its result once it is done."""
    service = get_service(request)
    found = await service.call(lambda: service.jobs.find(job_id))
    if found.link:
        return RedirectResponse(request.scope.get("root_path", "") + found.link, 303)
    return render_page(request, "job.html", job=found, refresh=REFRESH_SECONDS)


@router.get("/jobs/{job_id}/progress")
async def progress(request: Request, job_id: str) -> Response:
    """State and progress of a job as JSON."""
    service = get_service(request)
    return JSONResponse((await service.call(lambda: service.jobs.find(job_id))).progress_json())


@router.post("/jobs/{job_id}/cancel")
@render_errors
async def cancel(request: Request, job_id: str) -> Response:
    """Stop a job."""
    service = get_service(request)
    await service.call(lambda: service.jobs.cancel(job_id))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/jobs/{job_id}", 303)


@router.post("/jobs/{job_id}/again")
@render_errors
async def run_again(request: Request, job_id: str) -> Response:
    """Start a job with the arguments of an earlier one."""
    service = get_service(request)
    return redirect_to_job(request, await service.call(lambda: service.jobs.run_again(job_id)))


def redirect_to_job(request: Request, job: Job) -> Response:
    """A redirect to the page of a job that was started."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}/jobs/{job.id}", 303)
