/** The hash of a profile: what changes documents or an index changes it, and nothing else does. */

import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'

const source = 'test/profile/foreign/custom'

async function hashWith(file: string, from: string, to: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'profile-'))
  await cp(source, directory, { recursive: true })
  const text = await readFile(join(directory, file), 'utf8')
  expect(text).toContain(from)
  await writeFile(
    join(directory, file),
    text.replace(from, () => to),
  )
  return (await loadProfile(directory)).hash
}

const { hash } = await loadProfile(source)
const builtIn = await loadProfile()

test.each([
  ['station.ttl', 'def:operator', 'def:owner'],
  ['station.ttl', '"Numeric"', '"Integer"'],
  ['station.ttl', 'sh:path def:river ; sh:maxCount 1', 'sh:path def:river'],
  ['station.ttl', 'sh:path def:observes', 'sh:path def:observes ; sh:minCount 1'],
  ['station.ttl', '"zero"', '"gauge_zero"'],
  ['concept.ttl', '"SimpleMultiLang"', '"MultiLangTitle"'],
  ['platform.json', '"max_agg_size": 100', '"max_agg_size": 101'],
  ['platform.json', '"path": "kind"', '"path": "kind.id"'],
  ['platform.json', 'def#Showcase', 'def#App'],
  ['platform.json', '"id": "station"', '"id": "gauge"'],
  ['platform.json', '"inCatalogue": true', '"inCatalogue": false'],
])('%s: %s → %s is another profile', async (file, from, to) => {
  expect(await hashWith(file, from, to)).not.toBe(hash)
})

test.each([
  ['station.ttl', 'Height of the gauge datum', 'Height'],
  ['station.ttl', 'sh:targetClass', 'sh:name "Station" ; sh:targetClass'],
  ['platform.json', '"name": "Gauging station"', '"name": "Station"'],
  ['platform.json', 'Places where', 'Places at which'],
  ['platform.json', '"id": "water"', '"id": "waters"'],
])('%s: %s → %s is the same to documents and indices', async (file, from, to) => {
  expect(await hashWith(file, from, to)).toBe(hash)
})

test('types that a profile adds count', () => {
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  expect(hash).not.toBe(builtIn.hash)
})
