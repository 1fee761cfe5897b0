// Package dashboard is the face for the team: the pages behind a sign-in where
// feedback is triaged, statuses, keys and people are managed and the work of
// agents is followed. A page reads through the verbs of app and an action calls
// one of them, the same as the API's, so there is no rule here beyond who may
// open which route: that is one table (see routes in dashboard.go), checked in
// one place before anything is looked up, so that a refusal tells nobody what
// exists.
//
// Every action is a plain form and works without JavaScript. The pages speak
// English only: a team works in one language, and the portal, which the public
// reads, speaks all of them.
package dashboard
