// The name that somebody last judged under, on this machine.

const field = document.getElementById("rater");
if (field) {
  field.value = field.value || localStorage.getItem("querykin rater") || "";
  field.form.addEventListener("submit", () => localStorage.setItem("querykin rater", field.value));
}
