/**
 * Synonyms of the operator, in a text file: `kita, kindergarten` (each for each), `lkw => lastwagen, truck` (one way), `[de]` (the
 * lines after it are for texts in this language), and comments after `#`.
 */

import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { shown } from '../errors.ts'
import type { Synonym } from '../search-index/query-tree.ts'
import { bucketOf, indexedLanguages, shortTag } from '../text/language.ts'
import { tokens } from '../text/tokens.ts'

/** Synonyms as queries look them up. */
export type Synonyms = {
  /** Lists of synonyms by the tokens of the word or phrase that has them, written as one; a list may contain it. */
  readonly bySource: ReadonlyMap<string, readonly (readonly Synonym[])[]>
  /** Most tokens of a word or phrase that has synonyms. */
  readonly mostWords: number
  /** Hash of the file. */
  readonly print: string
}

type Reading =
  | { readonly ok: true; readonly synonyms: Synonyms }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Most bytes and lines of a file, tokens of a phrase, synonyms of a word, and problems of lines that are reported. */
const most = { bytes: 4 * 2 ** 20, lines: 20_000, tokens: 8, synonyms: 100, problems: 10 } as const

const reasons: Readonly<Partial<Record<string, string>>> = {
  ENOENT: 'there is none',
  EACCES: 'the platform may not read it',
}

/** Reads a file of synonyms. Problems are sentences without subject. */
export function readSynonyms(path: string): Reading {
  const problem = (text: string): Reading => ({ ok: false, problems: [text] })
  try {
    const facts = statSync(path)
    if (!facts.isFile()) return problem('must be the path of a text file; it is none')
    if (facts.size > most.bytes)
      return problem(`must be a file of at most ${most.bytes} bytes; it has ${facts.size}`)
    return parsed(readFileSync(path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return problem(
      `must be the path of a text file; ${reasons[code] ?? `reading failed (${code})`}`,
    )
  }
}

function parsed(bytes: Buffer): Reading {
  if (!isUtf8(bytes)) {
    const line = lineOfBadByte(bytes)
    return { ok: false, problems: [`must be a file in UTF-8; line ${line} has other bytes`] }
  }
  const lines = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split(/\r\n|\n|\r/)
  if (lines.length > most.lines)
    return {
      ok: false,
      problems: [`must be a file of at most ${most.lines} lines; it has ${lines.length}`],
    }
  const table = new SynonymTable()
  const problems = lines.flatMap((line, i) => {
    const problem = table.add(line.replace(/(?:^|\s)#.*$/, '').trim())
    return problem === undefined
      ? []
      : [`cannot be read in line ${i + 1}, "${shown(line)}": ${problem}`]
  })
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, most.problems) }
  const { bySource, mostWords } = table
  return { ok: true, synonyms: { bySource, mostWords, print: hash('sha256', bytes, 'hex') } }
}

function lineOfBadByte(bytes: Buffer): number {
  for (let [line, start] = [1, 0]; ; line++) {
    const end = bytes.indexOf('\n', start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
}

const section = /^\[([a-z]{2,3})\]$/i
const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** Collects the synonyms of lines. */
class SynonymTable {
  readonly bySource = new Map<string, (readonly Synonym[])[]>()
  mostWords = 1
  #bucket: Pick<Synonym, 'bucket'> = {}

  /** Adds a line without its comment; returns what is wrong with it. */
  add(line: string): string | undefined {
    if (line === '') return undefined
    if (line.startsWith('[')) {
      const tag = section.exec(line)?.[1] ?? 'zxx'
      this.#bucket = { bucket: bucketOf(shortTag(tag), indexedLanguages) }
      const isKnown = tag !== 'zxx' && languages.of(tag) !== undefined
      return isKnown ? undefined : 'a section is a language, such as [de]'
    }
    const [left = '', right, ...others] = line.split('=>')
    if (others.length > 0) return 'it has more than one =>'
    const sources = phrasesOf(left)
    const targets = right === undefined ? sources : phrasesOf(right)
    const all = [...sources, ...targets]
    if (all.some(({ length }) => length === 0))
      return 'a word is missing before or after a comma or =>'
    if (all.some(({ length }) => length > most.tokens))
      return `a phrase has more than ${most.tokens} words`
    if (right === undefined && sources.length < 2)
      return 'it has one word alone; separate words by commas'
    const synonyms = targets.map((words): Synonym => ({ tokens: words, ...this.#bucket }))
    return this.#addAll(sources, synonyms)
  }

  #addAll(sources: readonly (readonly string[])[], synonyms: readonly Synonym[]) {
    for (const words of sources) {
      const source = words.join('')
      const lists = this.bySource.get(source) ?? []
      const count = lists.reduce((sum, { length }) => sum + length, synonyms.length)
      if (count > most.synonyms)
        return `"${shown(words.join(' '))}" has more than ${most.synonyms} synonyms`
      this.bySource.set(source, [...lists, synonyms])
      this.mostWords = Math.max(this.mostWords, words.length)
    }
    return undefined
  }
}

/** Tokens of the words and phrases between commas. */
const phrasesOf = (text: string): readonly (readonly string[])[] =>
  text.split(',').map((phrase) => tokens(phrase))
