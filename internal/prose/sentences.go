package prose

var featureTitles = []string{
	"Let us {verb} {things} {when}",
	"Let {person} {verb} {things}",
	"Option to {verb} {things} {when}",
	"{verb} several {things} at once {when}",
	"Show the {part} in the {place}",
	"Make the {part} optional for {person}",
	"A keyboard shortcut to {verb} a {thing} in the {place}",
	"Support {part} in the {place}",
	"{tool} integration: {verb} {things} from there",
	"Sync the {part} of {things} with {tool}",
	"Remember the {part} in the {place} after {event}",
	"Default {part} for {person} in every new project",
	"Ability to hide the {part} from {person}",
	"Filter by {part} in the {place}",
	"Sort {things} by {part} in the {place}",
	"Send the {part} of {things} to {tool}",
	"Undo after you {verb} a {thing} in the {place}",
	"Custom {part} for {things} of {person}",
	"Read-only {things} for {person}",
	"Weekly summary of {things} for {person}",
	"Templates for {things}, with the {part} filled in for {person}",
	"Warn {person} before they change the {part}",
	"History of who changed the {part} in the {place}",
	"Lock the {part} of {things} at the end of the {unit}",
	"Compare the {part} of {things} from one {unit} to the next",
	"API endpoint to {verb} {things} by {part}",
	"{person} should see the {part} in the {place}",
	"A better empty state in the {place} for {person}",
	"Print the {place} with the {part} on one page",
	"Bring the {part} to the {place}",
	"Search inside the {part} from the {place}",
	"Please let me {verb} {things} {when}",
	"A second {part} for {things} of {person}",
	"Copy the {part} from another {thing} {when}",
	"Export {things} to {tool}",
}

var bugTitles = []string{
	"The {place} {symptom} when {condition}",
	"{platform}: the {place} {symptom}",
	"The {part is} lost after {event}",
	"Cannot {verb} a {thing} when {condition}",
	"The {place} {symptom} after {event}",
	"Wrong {part} shown in the {place}",
	"{things} cannot be sorted by {part} in the {place}",
	"A change of the {part} does not save when {condition}",
	"{tool} sync stops after {event}",
	"Error when I {verb} more than {many} {things} on {platform}",
	"The {part overlap} the text in the {place}",
	"{person} can still see the {part} of private {things}",
	"The {place} is slow when {condition}",
	"{things} exported to {tool} have no {part}",
	"Undo does not restore the {part} after {event}",
	"The {part differ} between the {place} and the API",
	"Links to a {thing} open the wrong page on {platform}",
	"Screen reader does not announce the {part} in the {place}",
	"A double click in the {place} creates two {things} on {platform}",
	"Keyboard focus is lost in the {place} after {event}",
}

var contexts = []string{
	"We are a team of {many} {role}s and live in the {place} all day.",
	"Our company runs about {many} projects at the same time.",
	"I manage {things} for {person}, most of whom sign in once a {unit}.",
	"Every {unit} we go through all {things} together in a call.",
	"As a {role} I open the {place} before anything else.",
	"We moved here from {tool} last year and like almost everything.",
	"Half of our people work from sites with a poor connection.",
	"We have to show our auditors what happened to each {thing}.",
	"Since we grew past {many} people, the {place} has become crowded.",
	"I looked for this in the settings and in the help pages first.",
	"Our customers get a link to the {place}, so details matter.",
	"This came up in our retrospective three times in a row.",
	"We onboard {person} almost every {unit}.",
	"Most of my day is spent between the {place} and {tool}.",
}

var problems = []string{
	"Today there is no way to {verb} {things} {when}, so somebody does it by hand.",
	"The {part is} only visible after two clicks, and people forget to look.",
	"Whenever the {part change} nobody is told, and we find out too late.",
	"We keep a spreadsheet next to it only because of the {part}.",
	"It takes me about {many} clicks a {unit}, and I make mistakes.",
	"New colleagues always ask where to find the {part}.",
	"With {many} {things} this does not work any more.",
	"It is easy to {verb} the wrong {thing}, and there is no way back.",
	"{person} cannot do it themselves and have to ask an admin.",
	"The numbers do not match those in {tool}, and I have to explain why.",
	"People work around it with naming conventions, which never last.",
	"On a phone it is close to impossible.",
}

var wishes = []string{
	"It would help a lot if we could {verb} {things} {when}.",
	"A simple switch in the {place} would be enough.",
	"Ideally the {part} would work like any other field like any other: filter, sort, group.",
	"I imagine a small menu next to the {part}, with the last three choices on top.",
	"Please make this work {when}, with the same rights as everywhere else.",
	"Even showing the {part} in the {place} would save us an hour a {unit}.",
	"What we need: pick some {things}, {verb} them, see what changed.",
	"{tool} does this well: you choose once and it remembers per project.",
	"It does not need to be fancy. A list and a button would do.",
	"A webhook when the {part change} would also solve it for us.",
	"If this is too big, a first step could be to {verb} a single {thing} from the {place}.",
	"Bonus points if it also worked for {person}.",
}

var workarounds = []string{
	"Our workaround is a script against the API, which breaks whenever somebody renames a project.",
	"For now we copy everything into {tool} once a {unit}.",
	"At the moment I keep a second browser window open for this.",
	"We tried a rule for it, but rules do not see the {part}.",
	"Somebody on the team has a bookmarklet. We are not proud of it.",
	"Right now the only way is to {verb} each {thing} one by one.",
	"We print the {place} and use a marker. Really.",
}

var closings = []string{
	"Happy to join a call and show how we use it.",
	"This is the one thing that keeps {person} on {tool}.",
	"Thank you for a product that is otherwise a joy to use!",
	"I am glad to test an early version.",
	"I know there are many requests; for us this would be number one.",
	"Related requests exist, but none covers {things}.",
	"Would you consider this for the next {unit}?",
}

var reports = []string{
	"The {place} {symptom} when {condition}. It worked before {event}.",
	"After {event} the {part is} gone. A reload helps, sometimes.",
	"Several of us see this: {condition}, then the {place} {symptom}.",
	"This started about a {unit} ago. The {place} {symptom}, always on {platform}.",
	"When I {verb} a {thing} the {part is} not updated until {event}.",
	"I get no error message. The {place} {symptom} and that is it.",
	"It happens to about one in {n} {things}; I could not find what they have in common.",
	"The {part is} right in the {place} and wrong in exports to {tool}.",
	"Only {person} are affected, admins see everything as they should.",
	"Not urgent, but embarrassing in front of {person}: the {place} {symptom}.",
}

var bugSteps = []string{
	"Open the {place}",
	"Choose a {thing}",
	"{verb} it",
	"Change the {part}",
	"Reload the page",
	"Switch to another project and back",
	"Sort by {part}",
	"Sign in as one of {person}",
	"Wait for the sync with {tool}",
	"Filter by {part}",
	"Press Ctrl+Z",
	"Scroll to the end",
}

var expectations = []string{
	"Expected: the {part stay} unchanged. Actual: the {place} {symptom}.",
	"I expected to {verb} the {thing}; instead the page {symptom}.",
	"Expected a message that says what is wrong. There is none.",
	"Expected the same result as in the API.",
	"It should behave as it did before {event}.",
}

var comments = []string{
	"+1, we need this too.",
	"Same here with {many} {things}.",
	"This would save us hours every {unit}.",
	"We have been waiting for this since we moved from {tool}.",
	"Is there any news? I am asked by {person} every {unit}.",
	"For us the {part matter} most, the rest could wait.",
	"As a workaround you can {verb} the {thing} through the API. Not pretty, but it works.",
	"Please keep it simple. The {place} is crowded enough already.",
	"I would even be happy with a setting that only admins can see.",
	"We see this on {platform} as well, but only after {event}.",
	"Could this also work {when}? That is how {person} would use it.",
	"I disagree a little: hiding the {part} would make it worse for {person}.",
	"Voted. We are {many} people and everybody trips over this.",
	"It works for me in the {place}, but not in the {other tool} integration.",
	"Our {unit} planning depends on it, so I am following this closely.",
	"I can reproduce it: {condition}, and then the {place} {symptom}.",
	"How would that interact with the {part} of archived {things}?",
	"{tool} solved it with a small menu. Perhaps an inspiration?",
	"Thank you for writing this up so clearly.",
	"I wrote to support about this and was pointed here.",
}

var replies = []string{
	"That works for a few {things}, but not for {many}.",
	"Good point, I had not thought of {person}.",
	"Did you try it on {platform}?",
	"Exactly. It is the {part} that makes the difference.",
	"We do the same. It is a workaround, not a solution.",
	"Thank you, that helped in the meantime!",
	"I think that is a separate request; I could not find one, though.",
	"Only if the {part stay} optional, please.",
	"For us it happens without that, too.",
	"Yes, and it should be possible {when}.",
}

var officials = []string{
	"Thanks for all the detail here. We are looking into it and will update this post.",
	"We have started on this. The first version will let you {verb} {things} {when}; the {part follow}.",
	"A question to everybody who voted: do you need this for {person} as well, or for members only?",
	"We found the cause and have a fix in review. It will go out with the next release.",
	"This is on our list for the next {unit}. We will share a preview first.",
	"We talked to five of you about this. Thank you! In the end it is all about the {part}.",
	"We do not plan this for now: it would make the {place} harder for most people. We will look again next year.",
	"Released to everybody today. Tell us how it works for you.",
}

var internals = []string{
	"Came up in a call with a customer of {many} seats. Renewal is next {unit}.",
	"Needs a change of the schema for the {part}. Two weeks, roughly.",
	"Duplicate of what sales sent us? Check before we plan it.",
	"Support got {many} tickets about this last {unit}.",
	"The {place} is being rebuilt anyway; do it there.",
	"Let us ask {person} for a recording before anybody starts.",
	"Legal has to look at this because of {tool}.",
}

var roles = []string{
	"designer", "project manager", "developer", "consultant", "producer", "teacher", "researcher", "site engineer",
	"support agent", "marketer", "product manager", "editor", "analyst", "planner", "coordinator",
}
