// Forms that are sent with the answer of a passkey:
//
//   data-passkey="create"   makes a new one; data-options is what the server asks for
//   data-passkey="get"      asks for one that is there
//
// The answer goes into the field named by data-answer, and the form is sent like
// any other. A form that is hidden is shown where the browser knows passkeys; an
// element with data-passkey-none is shown where it does not.
(() => {
	const doc = document;
	const known = !!(window.PublicKeyCredential?.parseCreationOptionsFromJSON && navigator.credentials);
	doc.querySelectorAll(known ? 'form[data-passkey][hidden]' : '[data-passkey-none][hidden]').forEach(el => { el.hidden = false });
	if (!known) return;

	// A question can be under way once: a second press gives up the first.
	let under = null;
	doc.addEventListener('submit', async e => {
		const form = e.target;
		if (!form.dataset?.passkey || form.elements[form.dataset.answer].value) return;
		e.preventDefault();
		under?.abort();
		under = new AbortController();
		const {signal} = under, options = JSON.parse(form.dataset.options), said = form.querySelector('[data-passkey-said]');
		if (said) said.hidden = true;
		try {
			const key = form.dataset.passkey === 'create'
				? await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), signal})
				: await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), signal});
			form.elements[form.dataset.answer].value = JSON.stringify(key.toJSON());
			form.requestSubmit();
		} catch (err) {
			// Giving up is no fault; a device that has a passkey already says so.
			if (signal.aborted || !said) return;
			said.textContent = err.name === 'InvalidStateError' ? said.dataset.known : said.dataset.failed;
			said.hidden = false;
		}
	});
})();
