// Fetches a fragment of another page, to update this one without leaving it.

const UNREACHABLE = "The service cannot be reached. Is it still running?";

export async function fetchFragment(url, selector, options = {}) {
  let response;
  try {
    response = await fetch(url, { ...options, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(UNREACHABLE);
  }
  const text = await response.text();
  if (!(response.headers.get("content-type") || "").startsWith("text/html")) {
    throw new Error(problemDetail(text) || `The service responded with status ${response.status}.`);
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  const fragment = page.querySelector(selector);
  if (fragment) return { fragment: document.adoptNode(fragment), title: page.title, url: response.url };
  const problem = page.querySelector(".problem");
  throw new Error(problem ? problem.textContent.trim() : `The service responded with status ${response.status}.`);
}

function problemDetail(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return "";
  }
}

export function problemBox(message) {
  const box = document.createElement("div");
  box.className = "problem";
  const paragraph = document.createElement("p");
  paragraph.textContent = message;
  box.append(paragraph);
  return box;
}
