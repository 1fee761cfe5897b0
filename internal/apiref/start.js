"use strict"

// Scalar brings its style sheets as <style> elements that it makes itself. They
// get the nonce that the page's content security policy asks for; one that
// comes with somebody's text, as markup, gets none and stays without effect.
const {nonce} = document.currentScript
const createElement = document.createElement
document.createElement = function (...args) {
	const element = createElement.apply(this, args)
	if (element instanceof HTMLStyleElement) element.nonce = nonce
	return element
}

document.addEventListener("DOMContentLoaded", () => {
	const root = document.getElementById("reference")
	Scalar.createApiReference(root, {
		url: root.dataset.document,
		// Requests go where the page came from, by whatever name that was
		// reached: the policy allows no other host.
		servers: [{url: location.origin}],

		// Nothing from outside.
		withDefaultFonts: false,
		telemetry: false,
		agent: {disabled: true},
		mcp: {disabled: true},
		hideClientButton: true,
		showDeveloperTools: "never",

		// The one way in is an API key. It is forgotten with the page.
		authentication: {preferredSecurityScheme: "bearer"},
		persistAuth: false,

		orderSchemaPropertiesBy: "preserve",
		defaultOpenAllTags: true,
		documentDownloadType: "direct",

		// Our accent on Scalar's neutral theme; a line above the foot of the
		// list, which its end would run into; and in a narrow window no button
		// where the address is.
		customCss: `
			.light-mode { --scalar-color-accent: #4f46e5; --scalar-background-accent: #4f46e514; }
			.dark-mode { --scalar-color-accent: #8b8cf8; --scalar-background-accent: #8b8cf824; }
			.t-doc__sidebar { --scalar-sidebar-color-active: var(--scalar-color-accent); }
			.darklight-reference { border-top: 1px solid var(--scalar-border-color); padding-top: 12px; }
			@media (max-width: 767px) { [role=dialog] .scalar-sidebar-toggle { display: none; } }`,
	})
})
