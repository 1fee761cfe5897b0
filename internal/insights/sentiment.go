package insights

import "heed/internal/insights/tone"

// Sentiment is the tone of a theme.
type Sentiment string

const (
	Unclear  Sentiment = "" // too little to say, or not in English
	Positive Sentiment = "positive"
	Neutral  Sentiment = "neutral"
	Negative Sentiment = "negative"
)

const (
	// People ask politely for what they miss, so feedback sounds happier than
	// it is: the scale is shifted.
	negativeBelow = 0.0
	positiveFrom  = 0.30

	// A theme has a tone when at least this many of its posts, and this
	// share, have words with one.
	minToned      = 3
	minTonedShare = 0.25

	// Where most posts are plain questions the mean is about zero, which is
	// not a complaint unless enough of them sound like one.
	minNegativeShare = 0.25
)

// sentiment judges the posts of a theme together. A single post is never
// judged: it would be wrong too often.
func (r *run) sentiment(members []int) Sentiment {
	var sum float64
	toned, negative, posts := 0, 0, 0
	for _, i := range members {
		posts += r.weight[i]
		if !isEnglish(words(r.texts[i])) {
			continue
		}
		if score, ok := tone.Of(clip(r.texts[i])); ok {
			toned += r.weight[i]
			sum += float64(score * float64(r.weight[i]))
			if score < 0 {
				negative += r.weight[i]
			}
		}
	}
	if toned < minToned || float64(toned) < minTonedShare*float64(posts) {
		return Unclear
	}
	switch mean := sum / float64(posts); {
	case mean <= negativeBelow && float64(negative) >= minNegativeShare*float64(posts):
		return Negative
	case mean >= positiveFrom:
		return Positive
	}
	return Neutral
}
