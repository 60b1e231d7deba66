/** Files as they occur in the wild, one defect each: what the importer takes, mends or refuses. */

import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { importDump } from '../../../src/harvest/importing/dump.ts'
import { formatByName } from '../../../src/rdf/media-types.ts'
import {
  doubleKey,
  repositoryDouble,
  type RepositoryDouble,
} from '../../support/repository-double.ts'
import { quickClock } from './builders.ts'

const folder = new URL('../../../../shared/data/samples/', import.meta.url)
let double: RepositoryDouble
let catalogue = 0

beforeAll(async () => {
  double = await repositoryDouble()
})
afterAll(() => double.close())

/** Imports a sample into a catalogue of its own. */
function bring(name: string) {
  catalogue += 1
  const bytes = readFileSync(new URL(name, folder))
  const format = formatByName(name.split('.').at(-1) ?? '') ?? 'turtle'
  const source = {
    name,
    format,
    baseIri: 'https://example.org/',
    bytes: (async function* () {
      yield bytes
    })(),
  }
  const options = {
    service: double.service,
    key: doubleKey,
    clock: quickClock(),
    catalogue: `c${catalogue}`,
  }
  return importDump(source, options, new AbortController().signal)
}

describe.skipIf(!existsSync(folder))('samples', () => {
  it.each([
    ['broken/byte-order-mark.ttl', 1, false],
    ['broken/relative-iris.ttl', 1, false],
    ['broken/bad-iris.rdf', 1, true],
    ['broken/bad-language-tag.jsonld', 1, true],
    ['broken/untidy.ttl', 1, false],
    ['dcat-ap-de/RefImp_TTL_ADVANCED.ttl', 2, false],
    ['dcat-ap-de/RefImp_RDF_ADVANCED.rdf', 2, false],
    ['dcat-ap-de/RefImp_JSONLD_ADVANCED.jsonld', 2, false],
    ['semic/example-ms_catalogue_hvd.ttl', 1, false],
    ['semic/example-ms_dataset_2_distributions.jsonld', 1, false],
  ])('%s brings %i datasets (repaired: %s)', async (name, count, isRepaired) => {
    const summary = await bring(name)
    expect(summary).toMatchObject({ created: count, failed: 0, endReason: undefined })
    expect(summary.repaired > 0).toBe(isRepaired)
  })

  it('broken/no-dataset.ttl holds nothing to import, and nothing is sent', async () => {
    const before = double.puts.length
    await expect(bring('broken/no-dataset.ttl')).rejects.toThrow('holds no dcat:Dataset')
    expect(double.puts).toHaveLength(before)
  })

  it('broken/not-utf8.ttl is read as Windows-1252, and the summary says so', async () => {
    const { repairs } = await bring('broken/not-utf8.ttl')
    expect(repairs.map(({ from }) => from)).toEqual([expect.stringContaining('windows-1252')])
  })

  it.each([
    ['broken/text-before-turtle.ttl', 'malformed-rdf', 1],
    ['broken/undeclared-prefix.ttl', 'malformed-rdf', 4],
    ['broken/slash-in-local-name.ttl', 'malformed-rdf', 6],
    ['broken/truncated.ttl', 'malformed-rdf', 5],
    ['broken/external-entity.rdf', 'malformed-rdf', undefined],
    ['broken/remote-context.jsonld', 'remote-context', undefined],
  ])('%s is refused as %s, and nothing is sent', async (name, kind, line) => {
    const before = double.puts.length
    const failure = await bring(name).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ kind, ...(line && { errors: [{ line }] }) })
    expect(double.puts).toHaveLength(before)
  })
})
