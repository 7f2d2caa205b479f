// Sorts the measures and opens explanations in place. Without scripts, the links in the head sort on the server.

import { enableArrowKeys } from "./arrow_keys.js";
import { explainInPlace } from "./explanations.js";

const table = document.getElementById("comparison");
const status = document.getElementById("status");
const value = (row, name) => (row.dataset[name] === "nan" ? -Infinity : Number(row.dataset[name]));
const byMeasure = (x, y) => (x.dataset.measure < y.dataset.measure ? -1 : 1);
const by = (name) => (x, y) => (value(x, name) === value(y, name) ? byMeasure(x, y) : value(y, name) - value(x, name));
const byFamily = (x, y) => x.dataset.family - y.dataset.family || y.dataset.first - x.dataset.first || byMeasure(x, y);
const ORDERS = { measure: byMeasure, score: by("score"), percentile: by("percentile"), family: byFamily };

// The row, preceded by the heading of its family and followed by its explanation, where it has them.
function unit(row, heading) {
  const next = row.nextElementSibling;
  return [...(heading ? [heading] : []), row, ...(next?.matches(".opened") ? [next] : [])];
}

function sort(name) {
  const body = table.tBodies[0];
  const rows = [...body.querySelectorAll("[data-row]")].sort(ORDERS[name]);
  const headings = new Map([...body.querySelectorAll("tr.family")].map((each) => [each.dataset.family, each]));
  for (const heading of headings.values()) heading.hidden = true;
  const sorted = rows.flatMap((row, index) => {
    const isFirst = name === "family" && rows[index - 1]?.dataset.family !== row.dataset.family;
    if (isFirst) headings.get(row.dataset.family).hidden = false;
    return unit(row, isFirst ? headings.get(row.dataset.family) : null);
  });
  body.append(...sorted);
  table.dataset.sort = name;
}

function sortBy(button) {
  const name = button.dataset.sort;
  sort(name);
  for (const head of table.tHead.querySelectorAll("[aria-sort]")) head.setAttribute("aria-sort", "none");
  button.closest("th").setAttribute("aria-sort", ["score", "percentile"].includes(name) ? "descending" : "ascending");
  history.replaceState(null, "", button.dataset.url);
  status.textContent = `Sorted by ${button.textContent.toLowerCase()}`;
}

// What sorts in place is a button, not a link to another page.
function enableSorting() {
  for (const link of table.querySelectorAll("a.sort")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.textContent = link.textContent;
    button.dataset.sort = link.dataset.sort;
    button.dataset.url = link.href;
    button.addEventListener("click", () => sortBy(button));
    link.replaceWith(button);
  }
}

function openBelow(link, explanation) {
  const row = document.createElement("tr");
  row.className = "opened";
  const cell = row.insertCell();
  cell.colSpan = table.tHead.rows[0].cells.length;
  cell.append(explanation);
  link.closest("tr").after(row);
  return row;
}

if (table) {
  enableSorting();
  explainInPlace(openBelow, status);
  enableArrowKeys();
}
