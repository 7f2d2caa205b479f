// Arrow keys between results: up and down from row to row, left and right between the links of a row.
// Down in the query field goes to the first result, up from there back to it.

const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.querySelector("a[href]"));
const links = (row) => [...row.querySelectorAll("a[href]")];

function target(key, at, field) {
  const all = rows();
  const row = at.closest("[data-row]");
  if (!row) return key === "ArrowDown" && at === field && all.length ? links(all[0])[0] : null;
  const column = links(row).indexOf(at);
  if (key === "ArrowLeft" || key === "ArrowRight") return links(row)[column + (key === "ArrowRight" ? 1 : -1)];
  const next = all[all.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
  if (!next) return key === "ArrowUp" ? field : null;
  return links(next)[Math.min(column, links(next).length - 1)];
}

export function enableArrowKeys(field = null) {
  for (const hint of document.querySelectorAll(".arrow-keys")) hint.hidden = false;
  document.addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow") || event.isComposing) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const found = target(event.key, event.target, field);
    if (!found) return;
    event.preventDefault();
    found.focus();
  });
}
