/** The README's own words, run: its commands exist, its first steps do what it says, its files are there. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { portalConfig } from '../src/config/portal.ts'
import { loadProfile } from '../src/profile/load-profile.ts'
import { verbs } from '../src/program/verbs.ts'
import { mappingClasses } from '../src/projector/mappings/classes.ts'
import { remove, temporaryDirectory } from './support/gateway.ts'
import { cartulary } from './support/program.ts'
import { firstSteps } from './journeys/first-steps.ts'
import { embedded } from './journeys/store-under-test.ts'

const root = new URL('..', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const scripts = (
  JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
).scripts

describe('the README', () => {
  it('fits three screens', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(150)
  })

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/npm run (\w+)/g)].map((match) => match[1])
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([])
  })

  it('and the pages of docs name only verbs of the program that exist', () => {
    const pages = globSync('docs/{,how-it-works/}*.md', { cwd: root }).map((page) =>
      readFileSync(new URL(page, root), 'utf8'),
    )
    const named = [
      ...`${readme}${pages.join('')}`.matchAll(/npx cartulary ([a-z][a-z-]*)(?: ([a-z-]+))?/g),
    ]
    const isVerb = (first = '', second = '') =>
      verbs.some(({ name }) => name === first || name === `${first} ${second}`)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(([, first, second]) => !isVerb(first, second)).map(([all]) => all)).toEqual(
      [],
    )
  })

  it('points only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '')
    const folders = [...readme.matchAll(/^(\w+\/(?:\w+\/)?) /gm)].map((match) => match[1] ?? '')
    expect([...links, ...folders].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })
})

describe('the page on profiles', () => {
  const page = readFileSync(new URL('docs/profile.md', root), 'utf8')
  const blocksOf = (language: string) =>
    [...page.matchAll(new RegExp('```' + language + '\\n([^`]*)```', 'g'))].map(
      (match) => match[1] ?? '',
    )

  it('names every mapping class, and no other', () => {
    const table = page.slice(page.indexOf('The classes, by'), page.indexOf('A value that does not'))
    const named = [...table.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? '')
    expect(named.toSorted()).toEqual(Object.keys(mappingClasses).toSorted())
  })

  it('shows entry files, a configuration and a field that are taken', async () => {
    const [entry, types, config, ...others] = blocksOf('json').map((text): unknown =>
      JSON.parse(text),
    )
    expect(others).toEqual([])
    expect(parseConfig({ PLATFORM_SEARCH_CONFIG: JSON.stringify(config) }).ok).toBe(true)
    const directory = await temporaryDirectory()
    await cp(new URL('shapes/default', root), directory, { recursive: true })
    await cp(new URL('test/profile/foreign/custom', root), directory, { recursive: true })
    const [field = ''] = blocksOf('turtle')
    const shapes = await readFile(join(directory, 'dataset.ttl'), 'utf8')
    const own = field.replace('"accrual_periodicity"', '"how_often"')
    await writeFile(join(directory, 'dataset.ttl'), `${shapes}\n${own}`)
    const whole = { ...(entry as object), resources: (types as { resources: object }).resources }
    await writeFile(join(directory, 'platform.json'), JSON.stringify(whole))
    const profile = await loadProfile(directory)
    expect(profile.dataset.fields.find(({ name }) => name === 'how_often')).toMatchObject({
      mapping: 'Frequency',
      required: true,
      single: true,
      description: 'How often it is updated.',
    })
    expect(profile.resources.map(({ id }) => id)).toEqual(['station'])
    await remove(directory)
  })

  it('and the README name commands that do what they say', async () => {
    const commands = [...`${page}${readme}`.matchAll(/^npx cartulary (profile .*?)(?: +#.*)?$/gm)]
      .map((match) => match[1]?.trim() ?? '')
      .map((words) => words.replace('my-profile', 'shapes/default'))
      .map((words) => words.replace(/\brecord\.ttl/, 'pipes/demo/three-rivers-water.ttl'))
    expect(commands.length).toBeGreaterThanOrEqual(3)
    const cwd = new URL('.', root).pathname
    for (const command of new Set(commands)) {
      const { code, out } = await cartulary(command.split(' '), { cwd })
      expect([code, out.length > 100]).toEqual([0, true])
    }
  })
})

firstSteps('embedded', embedded)

describe('the page on the portal', () => {
  const page = readFileSync(new URL('docs/portal.md', root), 'utf8')

  it('shows a configuration that is taken, and pictures of at most 150 kB that exist', () => {
    const configs = [...page.matchAll(/```json\n([^`]*)```/g)].map((match) => match[1] ?? '')
    const secrets = { PLATFORM_SECRETS: '{"oidc":"some secret text"}' }
    expect(configs).toHaveLength(2)
    for (const config of configs)
      expect(parseConfig({ PLATFORM_PORTAL_CONFIG: config, ...secrets })).toMatchObject({
        ok: true,
      })
    const pictures = [...page.matchAll(/\]\((images\/[^)]+)\)/g)].map((match) => match[1] ?? '')
    expect(pictures.length).toBeGreaterThanOrEqual(2)
    for (const picture of pictures)
      expect(readFileSync(new URL(`docs/${picture}`, root)).byteLength).toBeLessThanOrEqual(150_000)
  })

  it('has a row for every key of the configuration', () => {
    const table = page.slice(page.indexOf('| key |'), page.indexOf('## Your folder'))
    const missing = Object.keys(portalConfig.shape).filter((key) => !table.includes(`\`${key}`))
    expect(missing).toEqual([])
  })
})
