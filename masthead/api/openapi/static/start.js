// Shows the description that this server gives of itself. Nothing is asked of anyone else,
// and a key that is typed in is forgotten with the page.
SwaggerUIBundle({
  dom_id: "#api",
  url: "openapi.json",
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
