/** Stems of words per language: by the English ones, `station` finds `stations` in English texts. */

import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as armenian } from '@orama/stemmers/armenian'
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as indonesian } from '@orama/stemmers/indonesian'
import { stemmer as irish } from '@orama/stemmers/irish'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as serbian } from '@orama/stemmers/serbian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'
import { fold } from './fold.ts'

const digit = /\p{N}/u
/** Most characters of a word with a stem. Tokens are shorter, so that longer words are found by their beginnings alone. */
const longestStemmed = 256

/**
 * Returns the stems of a word in a language, each as `language:stem`: one, or two when the word with accents and its folded form
 * have different stems. Empty for a language without a stemmer, for words with a digit, and for very long ones.
 */
export function stems(language: string, word: string): string[] {
  const stemmer = stemmers[language]
  if (!stemmer || word.length > longestStemmed || digit.test(word)) return []
  const lower = word.toLowerCase()
  const folded = fold(word)
  const stemOfWord = fold(stemmer(lower))
  const stemOfFolded = lower === folded ? stemOfWord : fold(stemmer(folded))
  return [...new Set([stemOfWord, stemOfFolded])]
    .filter((stem) => stem !== '')
    .map((stem) => `${language}:${stem}`)
}

/**
 * Returns the Bulgarian stem, or the word where the stemmer throws: it assigns to characters of a string, for one word in a
 * hundred.
 */
function bulgarianOrWord(word: string): string {
  try {
    return bulgarian(word)
  } catch {
    return word
  }
}

/**
 * Stemmers by language code. Czech, Estonian, Croatian, Latvian, Maltese, Polish, Slovak and Slovenian have none (the package's
 * module `sk` is Sanskrit): their words match as written.
 */
export const stemmers: Readonly<Partial<Record<string, (word: string) => string>>> = {
  ar: arabic,
  bg: bulgarianOrWord,
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  ga: irish,
  hu: hungarian,
  hy: armenian,
  id: indonesian,
  it: italian,
  lt: lithuanian,
  nl: dutch,
  nb: norwegian,
  nn: norwegian,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sr: serbian,
  sv: swedish,
  tr: turkish,
  uk: ukrainian,
}
