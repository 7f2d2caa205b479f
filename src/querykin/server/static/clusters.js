// Regroups while the threshold moves, finds while typing, opens groups and explanations in place.
// Without scripts, the form and the links do the same.

import { enableArrowKeys } from "./arrow_keys.js";
import { explainInPlace } from "./explanations.js";
import { fetchFragment, problemBox } from "./fragments.js";

const DEBOUNCE = 150; // milliseconds without input before a request
const PARTS = ["summary", "groups", "group", "exports"]; // what is replaced; the form keeps its focus
const form = document.getElementById("cut");
let timer = 0;
let pending = null;

function formUrl() {
  const values = [...new FormData(form)].filter(([, value]) => value.trim());
  return `${form.getAttribute("action")}?${new URLSearchParams(values)}`;
}

async function show(url, options = {}) {
  clearTimeout(timer);
  if (pending) pending.abort();
  pending = new AbortController();
  const clusters = document.getElementById("clusters");
  clusters.classList.add("busy");
  try {
    const found = await fetchFragment(url, "#clusters", { ...options, signal: pending.signal });
    for (const id of PARTS) document.getElementById(id).replaceWith(found.fragment.querySelector(`#${id}`));
    history.replaceState(null, "", found.url);
    return true;
  } catch (error) {
    if (error.name !== "AbortError") {
      document.getElementById("summary").prepend(problemBox(error.message));
    }
    return false;
  } finally {
    if (!pending.signal.aborted) clusters.classList.remove("busy");
  }
}

function showLater() {
  clearTimeout(timer);
  timer = setTimeout(() => show(formUrl()), DEBOUNCE);
}

function showThreshold() {
  const threshold = Number(form.threshold.value);
  document.getElementById("threshold-shown").textContent = threshold.toFixed(2);
  for (const bar of form.querySelectorAll(".histogram rect")) {
    bar.classList.toggle("above", Number(bar.dataset.score) >= threshold - 0.005);
  }
}

function choosePlace(keyword) {
  const move = document.getElementById("move");
  move.keyword.value = keyword;
  document.getElementById("moving").textContent = keyword;
  move.hidden = false;
  move.to.value = "";
  move.to.focus();
}

function openBelow(link, explanation) {
  const row = document.createElement("tr");
  const cell = row.insertCell();
  cell.colSpan = link.closest("tr").cells.length;
  cell.append(explanation);
  link.closest("tr").after(row);
  return row;
}

async function openGroup(link) {
  const scrolled = document.querySelector(".groups").scrollTop;
  if (!(await show(link.href))) return;
  document.querySelector(".groups").scrollTop = scrolled;
  document.querySelector(".groups [aria-current]").focus({ preventScroll: true });
  const group = document.getElementById("group");
  if (group.getBoundingClientRect().top > innerHeight - 100) group.scrollIntoView(); // narrow screens
}

async function openPage(link) {
  if (await show(link.href)) document.querySelector(".groups a").focus();
}

async function change(changed, submitter) {
  const values = new FormData(changed, submitter);
  if (!(await show(changed.getAttribute("action"), { method: "POST", body: new URLSearchParams(values) }))) return;
  document.getElementById("group").focus({ preventScroll: true });
}

function isPlainClick(event) {
  return !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
}

if (form) {
  form.threshold.addEventListener("input", () => {
    showThreshold();
    showLater();
  });
  document.getElementById("find").addEventListener("input", showLater);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(formUrl());
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".groups a, .paging a, a.move, #cancel-move");
    if (!link || !isPlainClick(event)) return;
    event.preventDefault();
    if (link.matches("a.move")) choosePlace(link.dataset.keyword);
    else if (link.id) document.getElementById("move").hidden = true;
    else if (link.closest(".groups")) openGroup(link);
    else openPage(link);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("#move, #alone, #exports form")) return;
    event.preventDefault();
    change(event.target, event.submitter);
  });
  explainInPlace(openBelow, document.getElementById("numbers"));
  enableArrowKeys(document.getElementById("find"));
}

// A file that is too large is refused before it is sent.
const upload = document.getElementById("upload");
upload.addEventListener("submit", (event) => {
  const limit = Number(upload.dataset.maxBytes);
  const size = (upload.file.files[0] || { size: 0 }).size;
  if (size <= limit) return;
  event.preventDefault();
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  document
    .getElementById("upload-problem")
    .replaceChildren(problemBox(`The file has ${megabytes(size)}; at most ${megabytes(limit)} can be uploaded. Use querykin cluster FILE for larger lists.`));
});
