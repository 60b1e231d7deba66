/** The words of the source: log events that name what happened. The lists grow with each review. */

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Source = { readonly path: string; readonly text: string }

const root = new URL('../src/', import.meta.url).pathname
const sources: Source[] = globSync('**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(root + path, 'utf8'),
}))

/** Log events whose verb says what has not happened: `run.unwritten` for `run.write-failed`. */
const negatedEvents = ({ path, text }: Source): string[] =>
  [...text.matchAll(/'([a-z-]+\.(?:[a-z]+-)*un[a-z-]+)'/g)].map((match) => `${path}: ${match[1]}`)

describe('the source', () => {
  it('names log events by what happened or failed', () => {
    expect(sources.flatMap(negatedEvents)).toEqual([])
  })
})

describe('the rules find', () => {
  it.each(["log.warn({ err }, 'run.unwritten')", "'store.lease-unheard'"])('%s', (text) => {
    expect(negatedEvents({ path: 'a.ts', text })).toHaveLength(1)
  })

  it('nothing in events that name what happened', () => {
    const text = "'run.write-failed', 'run.started', 'runner.found'"
    expect(negatedEvents({ path: 'a.ts', text })).toEqual([])
  })
})
