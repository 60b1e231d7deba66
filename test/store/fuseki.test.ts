/** What is Fuseki's own: how it says that it gave up, what one request holds, which forms TDB2 keeps. */

import { describe, expect, it } from 'vitest'
import { fuseki } from '../../src/store/remote/fuseki.ts'
import { updateText } from '../../src/store/remote/update-text.ts'

const notice =
  '\n##  Query cancelled due to timeout during execution   ##\n##  ****          Incomplete results           ****   ##\n'

describe('an answer of Fuseki', () => {
  it.each([
    ['N-Triples that end in the notice', `<urn:s> <urn:p> "o" .${notice}`, true],
    ['JSON that ends in the notice', `{ "head": { "vars": [ "s" ] } , "results": {${notice}`, true],
    ['a query that never began', 'Query timed out', true],
    ['triples that speak of it', '<urn:s> <urn:p> "##  Query cancelled due to timeout" .\n', false],
    ['many triples after it', `# ${notice}${'<urn:s> <urn:p> "o" .\n'.repeat(100)}`, false],
    ['nothing', '', false],
  ])('%s is told from a whole one', (_, text, gaveUp) => {
    const told = fuseki.isTimeoutNotice?.(text)
    expect(told).toBe(gaveUp)
  })

  it('is asked for in whole seconds, never fewer than wanted', () => {
    expect([1, 1000, 1500].map((ms) => fuseki.deadline?.(ms)['timeout'])).toEqual(['1', '1', '2'])
  })

  it('is asked for again when the server is busy, not when the query was too slow', () => {
    const answer = (status: number, text = '') => ({ status, text, headers: {} })
    expect(fuseki.isRetryable(answer(503))).toBe(true)
    expect(fuseki.isRetryable(answer(503, 'Query timed out'))).toBe(false)
    expect(fuseki.isRetryable(answer(500))).toBe(false)
  })
})

describe('one request', () => {
  const set = (...lines: string[]) => new Set(lines)

  it('drops, then deletes, then inserts, each kind as one operation', () => {
    const text = updateText([
      {
        graph: 'urn:a',
        clear: false,
        remove: set('<urn:1> <urn:p> "1" .'),
        add: set('<urn:2> <urn:p> "2" .'),
      },
      { graph: 'urn:b', clear: true, remove: set(), add: set() },
      { graph: 'urn:c', clear: false, remove: set(), add: set('<urn:3> <urn:p> "3" .') },
    ])
    expect(text.replaceAll('\n', ' ').replaceAll('  ', ' ')).toBe(
      'DROP SILENT GRAPH <urn:b> ; ' +
        'DELETE DATA { GRAPH <urn:a> { <urn:1> <urn:p> "1" . } } ; ' +
        'INSERT DATA { GRAPH <urn:a> { <urn:2> <urn:p> "2" . } GRAPH <urn:c> { <urn:3> <urn:p> "3" . } }',
    )
  })
})

describe('the values of TDB2', () => {
  const typed = (text: string, type: string) =>
    `<urn:s> <urn:p> "${text}"^^<http://www.w3.org/2001/XMLSchema#${type}> .`
  const exact = (line: string) => fuseki.fidelity.encode(line).exact

  it.each([
    ['integer', ['1', '0', '-5', '123456789012345678901234567890'], ['01', '+1', '-0', ' 1']],
    ['decimal', ['1.0', '0.5', '-10.25'], ['1', '1.50', '.5', '5.', '+1.5', '-0.0']],
    ['boolean', ['true', 'false'], ['1', '0']],
    ['double', ['NaN', 'INF'], ['1', '1.0e6', '+INF']],
    [
      'dateTime',
      ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.12+02:00'],
      ['2020-01-01T00:00:00.0Z', '2020-01-01T00:00:00-00:00'],
    ],
    ['duration', ['P1Y', 'P12M'], []],
  ])(
    'of type %s come back as they are when they are %j, and are noted when they are %j',
    (type, kept, noted) => {
      expect(kept.filter((text) => !exact(typed(text, type)))).toEqual([])
      expect(noted.filter((text) => exact(typed(text, type)))).toEqual([])
    },
  )

  it('have the tags of RFC 5646, 2.1.1', () => {
    const tagged = (tag: string) => exact(`<urn:s> <urn:p> "x"@${tag} .`)
    expect(['de', 'de-DE', 'zh-Hant', 'zh-Hant-TW'].map(tagged)).toEqual([true, true, true, true])
    expect(['DE', 'de-de', 'zh-hant'].map(tagged)).toEqual([false, false, false])
  })
})
