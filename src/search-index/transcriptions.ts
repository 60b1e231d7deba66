/** Spellings of letters with umlauts and rings by other letters: `Muenchen` for `München`, `Aarhus` for `Århus`. */

import { tokenOf } from '../text/tokens.ts'

/** Token of another spelling, in the languages that have it. */
type Transcription = { readonly token: string; readonly languages: readonly string[] }

type Spelling = {
  readonly languages: readonly string[]
  /** Letter as written → letters in its place. The token has the letter without its accent. */
  readonly letters: Readonly<Record<string, string>>
}

const spellings: readonly Spelling[] = [
  { languages: ['de'], letters: { ä: 'ae', ö: 'oe', ü: 'ue' } },
  { languages: ['da', 'no'], letters: { ø: 'oe', å: 'aa' } },
]

/** Most places of a word at which each combination of spellings is made; of more, all are replaced at once. */
const maxPlaces = 4

/**
 * Other spellings of a word: with plain letters in place of transcriptions (`laerm` → `larm`), and with transcriptions in place of the
 * letters of `typed`, the word with its accents (`münchen` → `muenchen`).
 */
export function transcriptionsOf(
  token: string,
  typed: string | undefined,
): readonly Transcription[] {
  return spellings.flatMap(({ languages, letters }) => {
    const pairs = Object.entries(letters)
    const plain = pairs.map(([letter, written]) => [written, tokenOf(letter)] as const)
    const others = new Set(replacedSomewhere(token, plain))
    if (typed !== undefined) {
      const accented = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu')
      others.add(
        tokenOf(typed.normalize('NFC').replace(accented, (letter) => letters[letter] ?? '')),
      )
    }
    others.delete(token)
    return [...others].map((other) => ({ token: other, languages }))
  })
}

/** A word with a replacement at some of the places where one is possible; `Feuerwehrhaeuser` has two, one of them by chance. */
function replacedSomewhere(
  token: string,
  replacements: readonly (readonly [from: string, to: string])[],
): readonly string[] {
  const byText = new Map(replacements)
  const pattern = new RegExp(replacements.map(([from]) => from).join('|'), 'g')
  const places = [...token.matchAll(pattern)].length
  if (places > maxPlaces) return [token.replace(pattern, (text) => byText.get(text) ?? text)]
  const choices = Array.from({ length: 2 ** places }, (_, i) => i)
  return choices.map((choice) => {
    let place = 0
    return token.replace(pattern, (text) =>
      Math.floor(choice / 2 ** place++) % 2 === 1 ? (byText.get(text) ?? text) : text,
    )
  })
}
