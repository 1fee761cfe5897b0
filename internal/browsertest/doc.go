// Package browsertest lets a test use a page as a person does, in a real
// Chromium, and fails it for what a person would only find in the developer
// tools: an uncaught exception, an error on the console, a request that failed,
// something the content security policy refused, a request to another host.
// Each of these ends the test badly unless it was announced with Expect.
//
// Only tests import it. A package that does has
//
//	func TestMain(m *testing.M) { browsertest.Main(m) }
//
// so that its tests share one browser and the browser ends with them. Each page
// is in a browsing context of its own: tests share no cookie and no storage.
//
// Frames are watched as the page is, also those of another site. What happens in
// another tab is not.
package browsertest
