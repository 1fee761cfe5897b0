// What a page does beyond links and forms. Every action works without this
// file; here it becomes quicker. Elements say what they want by data attributes:
//
//   data-theme-toggle   switches between light and dark
//   data-dialog="#id"   opens a dialog
//   data-copy="#id"     copies the text of an element; data-done is what the toast says
//   data-autosubmit     a select or checkbox that sends its form when it changes
//   data-draft="key"    a form whose text fields survive a failed submit or a closed tab
//   data-address        a form whose choices become the page's address as they are made
//   data-new            what the key c activates
//   .vote               flips before the answer is there, and back if it is refused
(() => {
	const doc = document, root = doc.documentElement;
	const one = (selector, from = doc) => from.querySelector(selector);

	const toast = text => {
		const box = one('#toasts');
		if (!box || !text) return;
		const el = doc.createElement('div');
		el.className = 'toast';
		el.textContent = text;
		box.append(el);
		setTimeout(() => el.remove(), 5000);
	};
	// The server says HX-Trigger: {"toast": {"value": "Saved"}}.
	doc.addEventListener('toast', e => toast(e.detail?.value ?? e.detail));

	doc.addEventListener('click', e => {
		const on = selector => e.target.closest?.(selector);
		const theme = on('[data-theme-toggle]');
		if (theme) {
			e.preventDefault();
			const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
			root.dataset.theme = dark ? 'light' : 'dark';
			doc.cookie = `theme=${root.dataset.theme};path=/;max-age=31536000;samesite=lax`;
			return;
		}
		const copy = on('[data-copy]');
		if (copy) navigator.clipboard.writeText(one(copy.dataset.copy).textContent.trim()).then(() => toast(copy.dataset.done));
		const opener = on('[data-dialog]');
		if (opener && one(opener.dataset.dialog)) {
			e.preventDefault();
			one(opener.dataset.dialog).showModal();
		}
		doc.querySelectorAll('details.menu[open]').forEach(m => { if (!m.contains(e.target)) m.open = false });
	});
	doc.addEventListener('change', e => { if (e.target.matches('[data-autosubmit]')) e.target.form.requestSubmit() });

	// A vote shows at once. Both faces of the button come from the server, so
	// nothing here writes numbers or sentences.
	const flip = form => {
		const button = one('button', form), count = one('b', form);
		const pressed = button.getAttribute('aria-pressed') === 'true';
		button.setAttribute('aria-pressed', String(!pressed));
		for (const el of [[button, 'aria-label'], [count, null]]) {
			const [node, attr] = el, now = attr ? node.getAttribute(attr) : node.textContent;
			if (attr) node.setAttribute(attr, node.dataset.other); else node.textContent = node.dataset.other;
			node.dataset.other = now;
		}
	};
	const voteOf = e => e.target.closest?.('.vote');
	doc.addEventListener('htmx:before:request', e => { const f = voteOf(e); if (f) { f.flipped = true; flip(f) } });
	// An answer that says itself what went wrong (HX-Trigger) needs no second word.
	const refuse = (e, told) => {
		const f = voteOf(e);
		if (f?.flipped) { f.flipped = false; flip(f) }
		if (!told) toast(f ? f.dataset.failed : root.dataset.failed);
	};
	doc.addEventListener('htmx:error', e => refuse(e, false));
	doc.addEventListener('htmx:response:error', e => {
		const response = e.detail?.ctx?.response, told = !!response?.headers.get('HX-Trigger');
		if (voteOf(e) || told || (response?.status ?? 0) >= 500) refuse(e, told);
	});

	// What somebody typed is kept until the server has taken it.
	const fields = form => form.querySelectorAll('input[type=text],textarea');
	const load = () => doc.querySelectorAll('form[data-draft]').forEach(form => {
		if (form.kept) return;
		form.kept = true;
		const key = 'draft:' + form.dataset.draft;
		try {
			const was = JSON.parse(localStorage.getItem(key) || '{}');
			fields(form).forEach(f => { if (!f.value && was[f.name]) { f.value = was[f.name]; f.dispatchEvent(new Event('input', {bubbles: true})) } });
		} catch { /* a browser that keeps nothing */ }
		form.addEventListener('input', () => {
			try { localStorage.setItem(key, JSON.stringify(Object.fromEntries([...fields(form)].map(f => [f.name, f.value])))) } catch { /* same */ }
		});
	});
	// A page that follows a successful submit names the draft that is done with.
	const done = one('meta[name="draft-done"]')?.content;
	if (done) try { localStorage.removeItem('draft:' + done) } catch { /* same */ }
	load();
	doc.addEventListener('htmx:after:swap', load);

	// What was found can be reloaded, shared and returned to.
	doc.addEventListener('htmx:after:swap', e => {
		const form = e.detail?.ctx?.sourceElement?.closest?.('form[data-address]');
		if (!form) return;
		const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
		history.replaceState(null, '', form.getAttribute('action') + (query.size ? '?' + query : ''));
	});

	doc.addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			if (parent !== window && !one('details.menu[open],dialog[open]')) parent.postMessage('heed:close', '*'); // the widget around us
			doc.querySelectorAll('details.menu[open]').forEach(m => { m.open = false; one('summary', m).focus() });
		}
		if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.('input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable]') || one('dialog[open]')) return;
		const act = {
			'/': () => one('#q')?.focus(),
			'?': () => one('#shortcuts')?.showModal(),
			c: () => one('[data-new]')?.click(),
			v: () => (doc.activeElement.closest('li,article') ?? one('.one'))?.querySelector('.vote button')?.click(),
			j: () => step(1),
			k: () => step(-1),
		}[e.key];
		if (act) { e.preventDefault(); act() }
	});
	const step = by => {
		const links = [...doc.querySelectorAll('.posts h3 a, td.title > a, td.title > .cell-2 > a')];
		const at = links.findIndex(a => a.closest('li,tr').contains(doc.activeElement));
		links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
	};
})();
