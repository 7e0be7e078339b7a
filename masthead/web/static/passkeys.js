// Passkeys: ask the browser for a passkey, put its answer into the form, and submit the form.
"use strict";

(() => {
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  // The server's options, with bytes where the browser expects bytes
  const decoded = (options) => {
    const known = (list) => (list || []).map((each) => ({ ...each, id: toBytes(each.id) }));
    const publicKey = { ...options, challenge: toBytes(options.challenge) };
    if (options.user) publicKey.user = { ...options.user, id: toBytes(options.user.id) };
    if (options.excludeCredentials) publicKey.excludeCredentials = known(options.excludeCredentials);
    if (options.allowCredentials) publicKey.allowCredentials = known(options.allowCredentials);
    return { publicKey };
  };

  const encoded = (credential) => {
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (credential.response[name]) response[name] = toText(credential.response[name]);
    }
    return JSON.stringify({
      id: credential.id,
      rawId: toText(credential.rawId),
      type: credential.type,
      response,
    });
  };

  // The place for a problem, with the texts in the language of the page
  const place = document.querySelector("[data-passkey-problem]");

  const unavailableReason = (form) => {
    if (location.origin !== form.dataset.origin) return place.dataset.elsewhere.replace("{origin}", form.dataset.origin);
    if (!window.isSecureContext) return place.dataset.insecure;
    if (!window.PublicKeyCredential) return place.dataset.unsupported;
    return "";
  };

  const showProblem = (text) => {
    place.textContent = text;
    place.hidden = !text;
  };

  const problemOf = (error) => {
    if (error.name === "NotAllowedError") return place.dataset.cancelled;
    if (error.name === "InvalidStateError") return place.dataset.known;
    return place.dataset.failed.replace("{reason}", error.message);
  };

  const ask = async (form) => {
    const reply = await fetch(form.dataset.options, { method: "POST", headers: { Accept: "application/json" } });
    if (reply.redirected || !reply.ok) {
      location.reload(); // signed out, or too late: the page says why
      return;
    }
    const options = decoded(await reply.json());
    const credential = await navigator.credentials[form.dataset.passkey](options);
    form.querySelector("[data-passkey-answer]").value = encoded(credential);
    form.submit();
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const reason = unavailableReason(form);
    const section = form.closest("[data-needs-passkeys]");
    if (section) section.hidden = false;
    if (reason) {
      showProblem(reason);
      form.hidden = true;
      continue;
    }
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const button = form.querySelector("button");
      if (button.disabled) return;
      button.disabled = true;
      button.setAttribute("aria-busy", "true");
      showProblem("");
      try {
        await ask(form);
      } catch (error) {
        showProblem(problemOf(error));
        button.disabled = false;
        button.removeAttribute("aria-busy");
      }
    });
  }
})();
