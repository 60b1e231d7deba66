/** Stems: what makes `station` find `stations` in English text, and only there. */

import { stemmers } from './stemmers.ts'
import { fold } from './fold.ts'

const digit = /\p{N}/u

/**
 * The stems of a word in a language, each as `language:stem`: usually one, two when the accents of the spelling lead the
 * stemmer elsewhere than the folded form. Empty for a language without a stemmer and for words with a digit.
 */
export function stems(language: string, word: string): string[] {
  const stemmer = stemmers[language]
  if (!stemmer || digit.test(word)) return []
  const lower = word.toLowerCase()
  const folded = fold(word)
  const first = fold(stemmer(lower))
  const second = lower === folded ? first : fold(stemmer(folded))
  return [...new Set([first, second])]
    .filter((stem) => stem !== '')
    .map((stem) => `${language}:${stem}`)
}

/** Whether words of a language have stems at all. */
export const hasStems = (language: string) => Object.hasOwn(stemmers, language)
