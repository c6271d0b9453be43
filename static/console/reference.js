// Starts Swagger UI on the API reference page.
"use strict";

const dark = getComputedStyle(document.documentElement).colorScheme;
const wantsDark = dark === "dark" || (dark !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.classList.toggle("dark-mode", wantsDark);

const place = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
