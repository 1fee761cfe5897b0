// What the dashboard does beyond links and forms, on top of app.js:
//
//   data-key="m"        what a key activates: a field is focused, a link followed
//   data-palette        opens the command palette, as Ctrl+K and Cmd+K do
//   data-confirm="..."  a form that asks before it is sent
//   data-all="name"     a box that ticks all boxes of a name
//   data-count="name"   shows how many boxes of a name are ticked
//   data-into="#id"     a colour picker that writes into a text field, and follows it
//   data-order="url"    a list whose rows can be dragged into another order
//   data-utc="name"     a date and time in UTC that is shown by the reader's clock; the
//                       field of that name tells the server by how much that differs
//   data-local          a time that is told by the reader's clock
(() => {
	const doc = document;
	const one = (selector, from = doc) => from.querySelector(selector);
	const all = (selector, from = doc) => [...from.querySelectorAll(selector)];

	const palette = one('#palette');
	const open = () => {
		if (!palette || palette.open) return;
		palette.showModal();
		const input = one('input', palette);
		input.value = '';
		filter('');
		input.focus();
	};
	const shown = () => all('li', palette).filter(li => !li.hidden);
	const filter = text => {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		all('li', palette).forEach(li => {
			const hit = li.dataset.search !== undefined ? words.length > 0 : words.every(w => li.textContent.toLowerCase().includes(w));
			li.hidden = !hit;
			if (li.dataset.search !== undefined) {
				const a = one('a', li);
				a.href = li.dataset.search + '?q=' + encodeURIComponent(text);
				one('b', a).textContent = text;
			}
		});
		one('.none', palette).hidden = shown().length > 0;
		mark(0);
	};
	let at = 0;
	const mark = i => {
		const rows = shown();
		at = Math.max(0, Math.min(rows.length - 1, i));
		all('li a', palette).forEach(a => a.classList.remove('at'));
		const a = rows[at] && one('a', rows[at]);
		if (a) { a.classList.add('at'); a.scrollIntoView({block: 'nearest'}) }
	};
	if (palette) {
		palette.addEventListener('input', e => filter(e.target.value));
		palette.addEventListener('keydown', e => {
			if (e.key === 'ArrowDown') { e.preventDefault(); mark(at + 1) }
			if (e.key === 'ArrowUp') { e.preventDefault(); mark(at - 1) }
			if (e.key === 'Enter') { e.preventDefault(); const li = shown()[at]; if (li) one('a', li).click() }
		});
	}

	doc.addEventListener('keydown', e => {
		if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') { e.preventDefault(); open() }
	});
	doc.addEventListener('keydown', e => {
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.('input:not([type=checkbox],[type=radio]),textarea,select') || one('dialog[open]')) return;
		if (e.key === 'x') doc.activeElement.closest('tr')?.querySelector('.tick input')?.click();
		const el = /^[a-z]$/.test(e.key) && one(`[data-key="${e.key}"]`);
		if (!el) return;
		e.preventDefault();
		if (el.matches('a,button')) el.click(); else (el.matches('form') ? one('textarea', el) : el).focus();
	});
	doc.addEventListener('click', e => { if (e.target.closest?.('[data-palette]')) open() });
	doc.addEventListener('submit', e => {
		const text = e.target.dataset?.confirm ?? e.submitter?.dataset.confirm;
		if (text && !confirm(text)) e.preventDefault();
	});

	const count = name => {
		const n = all(`input[name="${name}"]:checked`).length;
		all(`[data-count="${name}"]`).forEach(el => { el.textContent = n });
	};
	doc.addEventListener('change', e => {
		const name = e.target.dataset?.all;
		if (name) all(`input[name="${name}"]`).forEach(box => { box.checked = e.target.checked });
		count(name ?? e.target.name);
	});

	// Times by the reader's clock.
	const pad = n => String(n).padStart(2, '0');
	all('input[data-utc]').forEach(input => {
		const offset = () => { input.form.elements[input.dataset.utc].value = input.value ? new Date(input.value).getTimezoneOffset() : '' };
		if (input.value) {
			const d = new Date(input.value + 'Z');
			input.value = `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}T${pad(d.getHours())}:${pad(d.getMinutes())}`;
		}
		offset();
		input.addEventListener('input', offset);
	});
	const lang = doc.documentElement.lang;
	const local = () => all('time[data-local]').forEach(el => {
		el.textContent = new Date(el.dateTime).toLocaleString(lang === 'en' ? 'en-GB' : lang || undefined, {dateStyle: 'long', timeStyle: 'short'});
	});
	local();
	doc.addEventListener('htmx:after:swap', local);

	// On a narrow screen the places are a strip: where one is, is in sight.
	all('.groups, .list-nav.strip ul').forEach(strip => {
		const at = one('[aria-current]', strip);
		if (at) strip.scrollLeft += at.getBoundingClientRect().left - strip.getBoundingClientRect().left - 24;
	});

	all('[data-into]').forEach(pick => {
		const field = one(pick.dataset.into);
		pick.addEventListener('input', () => { field.value = pick.value });
		field.addEventListener('input', () => { if (/^#[0-9a-f]{6}$/i.test(field.value)) pick.value = field.value });
	});

	// Rows in another order: the place is sent as a form, as the buttons do.
	all('[data-order]').forEach(list => {
		let dragged = null;
		list.addEventListener('dragstart', e => { dragged = e.target.closest('tr'); e.dataTransfer.effectAllowed = 'move' });
		list.addEventListener('dragover', e => {
			const row = e.target.closest('tr');
			if (!dragged || !row) return;
			e.preventDefault();
			all('tr', list).forEach(r => r.classList.toggle('over', r === row && r !== dragged));
		});
		list.addEventListener('drop', e => {
			const row = e.target.closest('tr');
			if (!dragged || !row || row === dragged) return;
			e.preventDefault();
			const form = one('#order');
			form.elements.id.value = dragged.dataset.id;
			form.elements.to.value = all('tr', list).indexOf(row);
			form.requestSubmit();
		});
		list.addEventListener('dragend', () => { dragged = null; all('tr', list).forEach(r => r.classList.remove('over')) });
	});
})();
