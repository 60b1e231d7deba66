import { describe, expect, it } from 'vitest'
import { stopWordsOf } from '../../src/text/stop-words.ts'
import { tokens } from '../../src/text/tokens.ts'

const kept = (query: string) => {
  const all = tokens(query)
  const stopWords = stopWordsOf(all)
  return all.filter((token) => !stopWords.has(token)).join(' ')
}

describe('stop words of a query', () => {
  it.each([
    ['where can i swim', 'swim'],
    ['how many people live in each town', 'people live town'],
    ['Wo kann man in der Stadt parken', 'stadt parken'],
    ['quelle est la qualité de l’air', 'qualite air'],
    ['dove si può nuotare', 'nuotare'],
    ['quality of the water', 'quality water'],
  ])('are those of its language: %s', (query, rest) => {
    expect(kept(query)).toBe(rest)
  })

  it.each(['war memorial', 'die Bäume', 'bus lanes'])(
    'are none where one word alone is in the list of a language: %s',
    (query) => {
      expect(kept(query)).toBe(tokens(query).join(' '))
    },
  )

  it('are words of many languages in any query', () => {
    expect(kept('a Ortsplan')).toBe('ortsplan')
  })

  it('are all words of a query that has no others', () => {
    expect(kept('where is it')).toBe('')
  })
})
