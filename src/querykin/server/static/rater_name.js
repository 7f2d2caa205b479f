// Remembers the last rater name in this browser.

const field = document.getElementById("rater");
if (field) {
  field.value = field.value || localStorage.getItem("querykin rater") || "";
  field.form.addEventListener("submit", () => localStorage.setItem("querykin rater", field.value));
}
