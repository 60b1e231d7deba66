/** Texts of the portal: every language has every text, with the same arguments. */

import { readFileSync, readdirSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, it } from 'vitest'
import { interfaceLanguages } from '../../src/portal/translations.ts'

const folder = new URL('../../src/portal/texts/', import.meta.url)
const texts = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')) as Record<string, string>

/** Names of arguments, however deep. */
function namesIn(message: string, language: string): readonly string[] {
  const names = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('value' in value && 'type' in value && typeof value.value === 'string' && value.type !== 0)
      names.add(value.value)
    for (const part of Object.values(value)) look(part)
  }
  look(new IntlMessageFormat(message, language, undefined, { ignoreTag: true }).getAst())
  return [...names].sort()
}

describe('the texts of the portal', () => {
  it('are there for each language that it speaks', () => {
    expect(readdirSync(folder).sort()).toEqual(
      interfaceLanguages.map((one) => `${one}.json`).sort(),
    )
  })

  it.each(interfaceLanguages)('in %s have each key once', (language) => {
    const lines = readFileSync(new URL(`${language}.json`, folder), 'utf8').split('\n')
    const keys = lines.flatMap((line) => /^  "([^"]+)":/.exec(line)?.[1] ?? [])
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  it.each(interfaceLanguages)(
    'in %s are complete, are messages of ICU, and take the same arguments',
    (language) => {
      const [english, own] = [texts('en'), texts(language)]
      expect(Object.keys(own)).toEqual(Object.keys(english))
      for (const [key, message] of Object.entries(english))
        expect([key, namesIn(own[key] ?? '', language)]).toEqual([key, namesIn(message, 'en')])
    },
  )
})
