/** Rules of the source: layers, no circles, file sizes; and the proof that each rule can fail. */

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { awayFromHome, mostSharedNames, overBudget, sharedNames } from './support/budgets.ts'
import { handMadeLoops } from './support/hand-made-loops.ts'
import { allowedMiddleware, handMadeRoutes } from './support/hand-made-routes.ts'
import { importCycle, faults, modulesLoadedBy, type SourceFile } from './support/import-rules.ts'

const root = new URL('../src/', import.meta.url).pathname
const files: SourceFile[] = globSync('**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(root + path, 'utf8'),
}))

describe('the source', () => {
  it('imports only to lower layers, and every package from its home', () => {
    expect(faults(files)).toEqual([])
  })

  it('has no circle of imports, types included', () => {
    expect(importCycle(files)).toBeUndefined()
  })

  it('loads what a triplestore needs only where it is asked for: elsewhere it is memory for nothing', () => {
    const loaded = modulesLoadedBy(files, 'main.ts')
    expect(loaded.has('n3')).toBe(true)
    expect(loaded.has('oxigraph/web.js')).toBe(false)
    expect(loaded.has('sparql-http-client/SimpleClient.js')).toBe(false)
    expect(modulesLoadedBy(files, 'store/embedded/embedded-store.ts').has('oxigraph/web.js')).toBe(
      true,
    )
  })

  it('has no file over 400 lines', () => {
    const over = files.filter((file) => file.text.split('\n').length > 401).map((file) => file.path)
    expect(over).toEqual([])
  })

  it('keeps the budget of lines of each folder', () => {
    expect(overBudget(files)).toEqual([])
  })

  it('has one home for workers and connections', () => {
    expect(awayFromHome(files)).toEqual([])
  })

  it('has one home for loops, pauses and locks', () => {
    expect(handMadeLoops(files)).toEqual([])
  })

  it('registers routes by `mount` alone, and middleware only where there is a reason', () => {
    expect(handMadeRoutes(files)).toEqual([])
    const needless = Object.keys(allowedMiddleware).filter((path) =>
      files.every((file) => file.path !== path || handMadeRoutes([file], {}).length === 0),
    )
    expect(needless).toEqual([])
  })

  it('exports a name once, but for a number of them that gets smaller', () => {
    expect(sharedNames(files).length).toBeLessThanOrEqual(mostSharedNames)
  })
})

describe('the rules can fail', () => {
  const head = '/** A file. */\n'
  const cases: readonly (readonly [string, string, string])[] = [
    ['an upward import', 'rdf/a.ts', `import { x } from '../store/b.ts'`],
    ['a station importing a station', 'search/a.ts', `import type { X } from '../repository/b.ts'`],
    ['an unlisted folder', 'things/a.ts', ''],
    ['an import of an unlisted folder', 'search/a.ts', `import { x } from '../things/b.ts'`],
    ['a barrel by name', 'rdf/index.ts', ''],
    ['a barrel by content', 'rdf/all.ts', `export * from './a.ts'`],
    ['a default export', 'rdf/a.ts', 'export default 1'],
    ['a package away from home', 'search/a.ts', `import { Store } from 'oxigraph/web.js'`],
    ['configuration read outside main', 'http/a.ts', `import { parseConfig } from '../config.ts'`],
    ['a dynamic import upwards', 'rdf/a.ts', `const x = await import('../http/app.ts')`],
  ]
  it.each(cases)('%s is found', (_, path, text) => {
    expect(faults([{ path, text: head + text }])).not.toEqual([])
  })

  it('a folder without a budget, over it and far below it is found', () => {
    const text = `${head}${'const x = 1\n'.repeat(20)}`
    expect(overBudget([{ path: 'things/a.ts', text }])).toHaveLength(1)
    const long = { path: 'text/a.ts', text: text.repeat(100) }
    expect(overBudget([long])).toHaveLength(1)
    expect(overBudget([{ path: 'store/a.ts', text }])).toHaveLength(1)
  })

  it.each([
    ['a timer that repeats', 'const timer = setInterval(look, 10)'],
    ['a lock of promises', 'const last = new Map<string, Promise<void>>()'],
    ['a pause of its own', `import { setTimeout as sleep } from 'node:timers/promises'`],
    [
      'a loop around a pause',
      'while (!signal.aborted) {\n  if (x) { y() }\n  await pause(9, signal)\n}',
    ],
    ['a loop without an end', 'for (;;) {\n  await this.#pause(9)\n}'],
  ])('%s outside of workers is found', (_, code) => {
    expect(handMadeLoops([{ path: 'rdf/a.ts', text: `${code}\n` }])).toHaveLength(1)
    expect(handMadeLoops([{ path: 'workers/a.ts', text: `${code}\n` }])).toEqual([])
  })

  it.each([
    ['a route', "app.get('/things', (c) => c.text(''))"],
    ['a described route', 'app.openapi({ ...route, middleware }, handle)'],
    ['an app of its own', 'const app = new Hono()'],
    ['middleware without a reason', "app.use('*', guard)"],
  ])('%s outside of mount is found', (_, code) => {
    expect(handMadeRoutes([{ path: 'search/a.ts', text: `${code}\n` }])).toHaveLength(1)
  })

  it('a loop over the pages of a finite thing is none', () => {
    const text = 'for (;;) {\n  if (page() === 0) return\n}\nawait pause(9, signal)\n'
    expect(handMadeLoops([{ path: 'rdf/a.ts', text }])).toEqual([])
  })

  it('a second home and a second export of a name are found', () => {
    const text = `${head}export const pool = () => new Worker('x')\n`
    expect(awayFromHome([{ path: 'rdf/a.ts', text }])).toHaveLength(1)
    const twice = ['rdf/a.ts', 'text/a.ts'].map((path) => ({ path, text }))
    expect(sharedNames(twice)).toEqual(['pool'])
  })

  it('a file that does not say what it is for is found', () => {
    expect(faults([{ path: 'rdf/a.ts', text: 'export const x = 1' }])).toHaveLength(1)
  })

  it('a circle over three files is found, through types too', () => {
    const ring = [
      { path: 'rdf/a.ts', text: `import { b } from './b.ts'` },
      { path: 'rdf/b.ts', text: `import type { c } from './c.ts'` },
      { path: 'rdf/c.ts', text: `export { a } from './a.ts'` },
    ]
    expect(importCycle(ring)).toEqual(['rdf/a.ts', 'rdf/b.ts', 'rdf/c.ts', 'rdf/a.ts'])
  })
})
