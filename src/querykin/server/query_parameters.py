"""Query parameters of API requests: unknown and repeated ones are refused, never ignored."""

from fastapi import Request
from fastapi.routing import APIRoute

from querykin.errors import UnknownName
from querykin.server.problems import validation_problem


async def refuse_unknown_parameters(request: Request) -> None:
    """Raise HTTPProblem 422 for a parameter that the route does not have, or that is given twice."""
    route: APIRoute = request.scope["route"]
    known = [parameter.alias for parameter in route.dependant.query_params]
    errors = []
    for name in request.query_params:
        values = request.query_params.getlist(name)
        if name not in known:
            message = str(UnknownName("parameter", name[:100], known))
        elif len(values) > 1:
            message = f"given {len(values)} times; give it once"
        else:
            continue
        errors.append({"at": f"query.{name[:100]}", "message": message})
    if errors:
        raise validation_problem(errors)
