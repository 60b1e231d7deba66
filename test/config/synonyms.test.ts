/** Files of synonyms: what a line means, and a sentence for everything that cannot be read. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config/config.ts'

const directory = mkdtempSync(join(tmpdir(), 'synonyms-'))
afterAll(() => rmSync(directory, { recursive: true }))

function read(content: string | Buffer, name = 'synonyms.txt') {
  const path = join(directory, name)
  writeFileSync(path, content)
  return configured(path)
}

const configured = (path: string) =>
  parseConfig({ PLATFORM_SEARCH_CONFIG: JSON.stringify({ synonyms: path }) })

/** `source: synonym, [language] synonym of several words`. */
function shown(content: string | Buffer): readonly string[] {
  const result = read(content)
  if (!result.ok) return [result.message]
  return [...(result.config.search.synonyms?.bySource ?? [])].map(([source, lists]) => {
    const texts = lists.flat().map(({ tokens, bucket }) => {
      const language = bucket === undefined ? '' : `[${bucket}] `
      return language + tokens.join(' ')
    })
    return `${source}: ${texts.join(', ')}`
  })
}

describe('a file of synonyms', () => {
  it.each([
    [
      'each for each',
      'Kita, Kindergarten',
      ['kita: kita, kindergarten', 'kindergarten: kita, kindergarten'],
    ],
    ['one way', 'lkw => Lastwagen, truck', ['lkw: lastwagen, truck']],
    ['several for several', 'a, b => c', ['a: c', 'b: c']],
    ['phrases', 'child care => day-care centre', ['childcare: day care centre']],
    ['a language', 'a => b\n[ger]\na => c', ['a: b, [de] c']],
    ['a language without a dictionary of its own', '[ja]\na => b', ['a: [x] b']],
    ['comments and blank lines', '# all\n\n a => b # one\n c# => d', ['a: b', 'c: d']],
    ['a byte order mark and CRLF', '\ufeffa => b\r\nc => d\r\n', ['a: b', 'c: d']],
    ['cycles and duplicates', 'a => b\nb => a\na => b\na => a', ['a: b, b, a', 'b: a']],
    ['nothing', '', []],
  ])('has %s', (_, content, synonyms) => {
    expect(shown(content)).toEqual(synonyms)
  })

  it.each([
    [
      'a, b\nkita',
      'cannot be read in line 2, "kita": it has one word alone; separate words by commas',
    ],
    ['a => b => c', 'cannot be read in line 1, "a => b => c": it has more than one =>'],
    ['a,, b', 'cannot be read in line 1, "a,, b": a word is missing before or after a comma or =>'],
    ['=> b', 'cannot be read in line 1, "=> b": a word is missing before or after a comma or =>'],
    ['a => !!!', 'cannot be read in line 1, "a => !!!": a word is missing'],
    ['[german]', 'cannot be read in line 1, "[german]": a section is a language, such as [de]'],
    ['[zxx]', 'cannot be read in line 1, "[zxx]": a section is a language, such as [de]'],
    [
      'a b c d e f g h i => j',
      'cannot be read in line 1, "a b c d e f g h i => j": a phrase has more than 8 words',
    ],
    [`a => ${'b, '.repeat(101)}c`, 'cannot be read in line 1, "a => b'],
    ['a, b\n'.repeat(100_000), 'must be a file of at most 20000 lines; it has 100000'],
    ['a'.repeat(5_000_000), 'must be a file of at most 4194304 bytes; it has 5000000'],
    [Buffer.from('a, b\nä, c\n', 'latin1'), 'must be a file in UTF-8; line 2 has other bytes'],
    [Buffer.from('\ufeffa, b', 'utf16le'), 'must be a file in UTF-8; line 1 has other bytes'],
  ])('fails the start where it cannot be read (%#)', (content, problem) => {
    const result = read(content)
    expect(result.ok ? '' : result.message).toContain(`PLATFORM_SEARCH_CONFIG: synonyms ${problem}`)
  })

  it('fails the start where there is no file', () => {
    mkdirSync(join(directory, 'folder'))
    const problems = ['missing.txt', 'folder'].map((name) => {
      const result = configured(join(directory, name))
      return result.ok ? '' : result.message
    })
    expect(problems[0]).toContain('synonyms must be the path of a text file; there is none')
    expect(problems[1]).toContain('synonyms must be the path of a text file; it is none')
  })

  it('names at most ten lines that cannot be read', () => {
    const result = read('kita\n'.repeat(11))
    expect(result.ok ? [] : result.message.match(/in line/g)).toHaveLength(10)
  })

  it('of many lines is read, each for each of a hundred words, without a list for each', () => {
    const line = (i: number) =>
      Array.from({ length: 100 }, (_, n) => (i * 100 + n).toString(36)).join()
    const result = read(Array.from({ length: 2_000 }, (_, i) => line(i)).join('\n'))
    expect(result.ok && result.config.search.synonyms?.bySource.size).toBe(200_000)
  })
})
