/**
 * Words that say nothing of the subject, such as “the” and “where”, in 30 languages: the lists of the package `stopword` 3.1.5
 * (MIT), folded, and question words in German, English, French and Italian.
 */

import lists from './stop-words.json' with { type: 'json' }

/** Least number of lists with a word that is a stop word in a query of any language. */
const leastShared = 3
/** Least number of words of a query in a list that decides its language. */
const leastWords = 2

const sets: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(lists).map(([language, words]) => [language, new Set(words.split(' '))]),
)
const shared = sharedWords()

function sharedWords(): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const words of sets.values())
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Set([...counts].flatMap(([word, count]) => (count >= leastShared ? [word] : [])))
}

/**
 * Stop words among the tokens of a query: those of the language, or languages, whose list has most of the tokens, when it has two
 * at least, and those of three languages or more. So `war memorial` keeps both words, because no other word is German.
 */
export function stopWordsOf(tokens: readonly string[]): ReadonlySet<string> {
  const distinct = [...new Set(tokens)]
  const counts = [...sets.values()].map(
    (words) => [words, distinct.filter((token) => words.has(token)).length] as const,
  )
  const most = Math.max(leastWords, ...counts.map(([, count]) => count))
  const chosen = counts.flatMap(([words, count]) => (count === most ? [words] : []))
  return new Set(
    distinct.filter((token) => shared.has(token) || chosen.some((words) => words.has(token))),
  )
}

/** Whether a token is a stop word of one of some languages. */
export const isStopWord = (token: string, languages: readonly string[]): boolean =>
  languages.some((language) => sets.get(language)?.has(token))
