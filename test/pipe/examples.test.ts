/** The example pipes that are shipped: each is valid, knows its segments, and reaches nobody real. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Pipe } from '../../src/pipe/document.ts'
import { catalogueOf } from '../../src/pipe/pipe-check.ts'
import { normalName } from '../../src/pipe/segment-resolver.ts'
import { folder, sourcesFixture } from './sources/sources-fixture.ts'

const directory = fileURLToPath(new URL('../../pipes/examples', import.meta.url))
const examples = async () => {
  const sources = await sourcesFixture(folder(), {}, { directory })
  return { sources, pipes: sources.list().map(({ pipe }) => pipe) }
}
const segmentsOf = (pipe: Pipe) => pipe.body.segments.map(({ header }) => normalName(header.name))

it('every file is a valid pipe with the name of its file and an id of its own', async () => {
  const { sources, pipes } = await examples()
  expect(sources.invalid()).toEqual([])
  expect(sources.list().map(({ file }) => `example-${file}`.replace(/\.(json|yaml)$/, ''))).toEqual(
    sources.names(),
  )
  expect(new Set(pipes.map(({ header }) => header.id)).size).toBe(pipes.length)
})

it('there is one for each kind of importer and transformer, in JSON and in YAML', async () => {
  const { sources, pipes } = await examples()
  const used = new Set(pipes.flatMap(segmentsOf))
  const kinds = ['rdf', 'sparql', 'ckan', 'dkan', 'udata', 'opendatasoft', 'socrata', 'arcgis']
  for (const kind of kinds) expect(used).toContain(`importing-${kind}`)
  for (const kind of ['js', 'sparql']) expect(used).toContain(`transforming-${kind}`)
  const suffixes = new Set(sources.list().map(({ file }) => file.split('.').at(-1)))
  expect(suffixes).toEqual(new Set(['json', 'yaml']))
})

it('each begins with an importer that names a catalogue, and ends in the repository', async () => {
  const { pipes } = await examples()
  for (const pipe of pipes) {
    const names = segmentsOf(pipe)
    expect(names[0]).toMatch(/^importing-/)
    expect(names.at(-1)).toBe('exporting-hub')
    expect(catalogueOf(pipe.body.segments)).toBe('example')
  }
})

it('every address is one of an invented house', async () => {
  const { sources } = await examples()
  const addresses = sources
    .list()
    .flatMap(({ file }) =>
      [...readFileSync(`${directory}/${file}`, 'utf8').matchAll(/https?:\/\/[^\s"'<>]+/g)].map(
        String,
      ),
    )
  const known = /^http:\/\/www\.w3\.org\/(ns\/dcat|2006\/vcard\/ns)#$/
  const reached = addresses.filter((address) => !known.test(address))
  expect(reached.length).toBeGreaterThanOrEqual(sources.list().length)
  expect(
    reached.filter((address) => !/^https:\/\/[a-z0-9.-]+\.example(\/|$)/.test(address)),
  ).toEqual([])
})
