/** The pages for developers and users: their links, scripts and file names lead to something that exists. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('..', import.meta.url)
const pages = globSync(['*.md', 'docs/*.md', 'docs/how-it-works/*.md'], { cwd: root.pathname })
const { scripts }: { scripts: object } = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
)
const page = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** Paths of files and folders of the repository between backticks, but for files that an operator makes (`compose/.env`). */
const namedPaths = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|docs|sparql|shapes|pipes|compose)\/(?!\.)[\w./-]*)`/g)].map(
    (match) => match[1] ?? '',
  )

const sources = globSync('{src,test}/**/*.ts', { cwd: root.pathname })

/** Source files between backticks, whose names may lack the folders that the text has named before. */
const namedSources = (text: string): string[] =>
  [...text.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1] ?? '')

/** Targets of links to files, relative to the folder of the page. */
const links = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '')

describe.each(pages)('%s', (path) => {
  const text = page(path)
  const exists = (target: string, base: URL) => existsSync(new URL(target, base))

  it('links only to files that exist', () => {
    expect(links(text).filter((target) => !exists(target, new URL(path, root)))).toEqual([])
  })

  it('names only files of the repository that exist', () => {
    expect(namedPaths(text).filter((target) => !exists(target, root))).toEqual([])
  })

  it('names only source files that exist', () => {
    const isSource = (name: string) => sources.some((source) => `/${source}`.endsWith(`/${name}`))
    expect(namedSources(text).filter((name) => !isSource(name))).toEqual([])
  })

  it('names only scripts that exist', () => {
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1] ?? '')
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })
})

describe('the changelog', () => {
  it('has at most 150 lines', () => {
    expect(page('CHANGELOG.md').split('\n').length).toBeLessThanOrEqual(150)
  })
})

describe('the glossary', () => {
  const rows = [
    ...page('docs/glossary.md').matchAll(/^\| (\w[^|]*) \| ([^|]+) \| `(\w+)` in `([^`]+)` \|$/gm),
  ]
  const words = rows.map(([, word = '']) => word)

  it('has at most 40 words, in the order of the alphabet, each once', () => {
    expect(words.length).toBeGreaterThan(20)
    expect(words.length).toBeLessThanOrEqual(40)
    expect(words).toEqual([...new Set(words)].toSorted())
  })

  it('has one sentence for each word', () => {
    expect(rows.filter(([, , meaning = '']) => !/^[A-Z][^.]*\.$/.test(meaning))).toEqual([])
  })

  it('names a declaration that its file has', () => {
    const isDeclared = (name: string, path: string) =>
      existsSync(new URL(path, root)) &&
      new RegExp(`\\b(?:type|class|const|function) ${name}\\b`).test(page(path))
    const missing = rows.filter(([, , , name = '', path = '']) => !isDeclared(name, path))
    expect(missing.map(([row]) => row)).toEqual([])
  })

  it('has no row of another form', () => {
    const lines = page('docs/glossary.md')
      .split('\n')
      .filter((line) => line.startsWith('| '))
    expect(lines.length).toBe(rows.length + 1)
  })
})
