// A piece of another page: what follows a click without leaving this one.

const OUT_OF_REACH = "The service cannot be reached. Is it still running?";

export async function piece(url, selector, options = {}) {
  let answer;
  try {
    answer = await fetch(url, { ...options, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(OUT_OF_REACH);
  }
  const text = await answer.text();
  if (!(answer.headers.get("content-type") || "").startsWith("text/html")) {
    throw new Error(told(text) || `The service answered ${answer.status}.`);
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  const found = page.querySelector(selector);
  if (found) return { found: document.adoptNode(found), title: page.title, url: answer.url };
  const problem = page.querySelector(".problem");
  throw new Error(problem ? problem.textContent.trim() : `The service answered ${answer.status}.`);
}

function told(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return "";
  }
}

export function problem(message) {
  const box = document.createElement("div");
  box.className = "problem";
  const line = document.createElement("p");
  line.textContent = message;
  box.append(line);
  return box;
}
