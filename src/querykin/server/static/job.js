// Follows a job until it ends, then shows its result. Without scripts, the page reloads itself.

const INTERVAL = 700; // milliseconds
const shown = document.getElementById("job");
const bar = shown.querySelector("progress");

function update(job) {
  setText("step", job.headline.charAt(0).toUpperCase() + job.headline.slice(1));
  setText("detail", job.detail);
  if (job.step && job.step.total) {
    bar.max = job.step.total;
    bar.value = job.step.done;
  } else {
    bar.removeAttribute("value"); // of unknown length
  }
}

function setText(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text; // announced only when it changes
}

async function follow() {
  try {
    const response = await fetch(shown.dataset.progress, { credentials: "same-origin" });
    const job = await response.json();
    if (response.status === 404 || !["queued", "running"].includes(job.state)) {
      location.replace(location.href); // its result, or how it ended
      return;
    }
    if (response.ok) update(job);
  } catch {
    // Unreachable: keep the current contents and try again.
  }
  setTimeout(follow, INTERVAL);
}

setTimeout(follow, INTERVAL);
