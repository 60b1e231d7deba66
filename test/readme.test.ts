/** The README's own words, run: its commands exist, its first steps do what it says, its files are there. */

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { firstSteps } from './journeys/first-steps.ts'
import { embedded } from './journeys/ground.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const scripts = (
  JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
).scripts

describe('the README', () => {
  it('fits two screens', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(120)
  })

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/npm run (\w+)/g)].map((match) => match[1])
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([])
  })

  it('points only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '')
    const folders = [...readme.matchAll(/^(\w+\/(?:\w+\/)?) /gm)].map((match) => match[1] ?? '')
    expect([...links, ...folders].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })
})

firstSteps('embedded', embedded)
