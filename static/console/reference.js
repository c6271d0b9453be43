// Starts Swagger UI on the API reference page.
"use strict";

const place = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
