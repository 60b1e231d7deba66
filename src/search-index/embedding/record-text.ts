/** Text of a record that is embedded: titles in all languages, then descriptions, the main language first. */

import { type Fields, listed, memberFields } from '../../text/json.ts'

/** Makes the text of a record from its JSON; at most so many characters, `''` for a record without title and description. */
export function recordText(record: Fields, characters: number): string {
  const main = mainLanguage(record)
  const textsOf = (field: string) => {
    const value = record[field]
    const byLanguage =
      typeof value === 'object' ? Object.entries(memberFields(value)) : [['', value]]
    return byLanguage
      .toSorted(([a], [b]) => Number(b === main) - Number(a === main))
      .flatMap(([, texts]) => listed(texts))
      .filter((text) => typeof text === 'string' && text.trim() !== '')
  }
  const text = [...textsOf('title'), ...textsOf('description')].join('. ')
  return text.slice(0, characters).toWellFormed().trim()
}

/** Returns the language of a catalogue, or of the catalogue of a dataset: English where it is among several, else the first. */
function mainLanguage(record: Fields): unknown {
  const languages = listed(memberFields(record['catalog'] ?? record)['language'])
  const codes = languages.map((language) => memberFields(language)['id'])
  return codes.includes('en') ? 'en' : codes[0]
}
