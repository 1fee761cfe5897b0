package insights

import "strings"

// stopWords are words that say nothing about what a text is about, in the
// languages feedback is most often written in.
var stopWords = map[string]map[string]bool{
	"en": set(`a about above after again all also am an and any are aren't as at be because been before being below between both but by
		can can't cannot could couldn't did didn't do does doesn't doing don't done down during each either else ever every few for from further
		had hadn't has hasn't have haven't having he her here hers him his how however i i'd i'll i'm i've if im in into is isn't it it's its itself ive
		just let let's like lot lots may maybe me might mine more most much must my myself neither no nor not now of off often oh ok okay on once one ones only or other our ours out over own
		per please pls quite rather really s same shall she should shouldn't since so some something somehow still such sure t than thank thanks that that's the their theirs them then there there's these they they're thing things this those though through thus to too
		under until up upon us very via was wasn't we we'd we're we've were weren't what what's whats whatever when where where's whether which while who whom whose why will with within without won't would wouldn't
		yes yet you you'd you'll you're you've your yours dont doesnt didnt cant isnt wont wasnt couldnt hi hello hey dear im id ill`),
	"de": set(`aber alle als also am an auch auf aus bei beim bin bis bitte da damit dann das dass daß dem den denn der des die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas
		für haben hat hatte hier ich ihm ihn ihr ihre im in ist ja jede jeder kann kein keine können könnte leider man mehr mein meine mich mir mit muss nach nicht nichts noch nur ob oder ohne sehr sein seine sich sie sind so soll über um und uns unser
		unter viel vom von vor war wäre warum was weil wenn wer werden wie wieder wir wird wo würde zu zum zur`),
	"fr": set(`à au aux avec ce ces cette comme dans de des du elle en est et été être fait faire il ils j'ai je la le les leur lui ma mais me mes mon ne nous on ont ou où par pas plus pour pourquoi que quand qui sa sans se ses si son sont sur te tout tous très tu un une vos votre vous c'est d'un d'une n'est qu'il y`),
	"es": set(`a al algo ante antes como con cuando de del desde donde el ella ellos en entre era es esa ese eso esta está están este esto ha hace han hasta hay la las le les lo los más me mi muy nada ni no nos o otra otro para pero poco por porque puede puedo que qué se ser si sí sin sobre son su sus también te tiene todo un una uno y ya yo`),
	"pt": set(`a ao aos as até com como da das de dele do dos e ela ele em entre era essa esse esta está este eu foi há isso já lhe mais mas me meu minha muito na não nas nem no nos o os ou para pela pelo por porque qual quando que quem se sem ser seu só sua também te tem tudo um uma você`),
	"it": set(`a ad al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e è ed era gli ha hanno ho i il in io la le lei lo loro ma mi mia mio molto ne nei nel nella noi non o per perché più può quando quello questa questo se sei si sono su sua suo tra tu tutto un una uno voi`),
	"ru": set(`а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть еще ещё же за и из или им их к как когда кто ли меня мне мной можно мой моя мы на над не нет ни но о об он она они от очень по под при с со так там то только у уже хотя чем что чтобы эта эти это этот я`),
	"pl": set(`a aby ale bez bo by być był było co czy dla do gdy gdzie i ich ile jak jest już która które który lub ma mam mi może można na nad nie o od oraz po pod przez przy są się tak to tu tylko w we z za ze że`),
	"nl": set(`aan als bij dan dat de deze die dit door een en er geen had heb hebben heeft het hij hoe ik in is je kan kunnen maar me meer met mijn moet naar niet nog nu of om omdat ook op over te tot u uit van veel voor waar wat we wel werd wil worden wordt zal ze zich zijn zo`),
}

// stop is what word features leave out: the small words of all languages, as
// far as they do not mean something in English.
var stop = union(func(lang, w string) bool { return lang == "en" || !meaningful[w] })

// stopAnywhere is what labels leave out where people do not write English.
var stopAnywhere = union(func(lang, w string) bool { return true })

// meaningful are stop words of another language that are content in English.
var meaningful = set(`die war man son pour chi sole mes ten sur plus era das den do no me`)

func union(keep func(lang, word string) bool) map[string]bool {
	all := make(map[string]bool)
	for lang, words := range stopWords {
		for w := range words {
			if keep(lang, w) {
				all[w] = true
			}
		}
	}
	return all
}

// stopWordsOf returns the stop words for labels of texts.
func stopWordsOf(texts []string) map[string]bool {
	english := 0
	some := sample(len(texts), 500)
	for _, i := range some {
		if isEnglish(words(texts[i])) {
			english++
		}
	}
	if 2*english > len(some) {
		return stop
	}
	return stopAnywhere
}

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// isEnglish reports whether the small words of a text are English ones, or it
// has none and is spelled in plain letters.
func isEnglish(words []string) bool {
	count := make(map[string]int)
	for _, w := range words {
		for lang, list := range stopWords {
			if list[w] {
				count[lang]++
			}
		}
	}
	for lang, n := range count {
		if lang != "en" && n > count["en"] {
			return false
		}
	}
	if count["en"] > 0 {
		return true
	}
	for _, w := range words {
		for i := range len(w) {
			if w[i] >= 0x80 && !strings.ContainsAny(w, "’") {
				return false
			}
		}
	}
	return true
}
