/** Files of shapes, good and bad. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  readSchemes,
  readShapes,
  shippedFiles,
  shippedModels,
} from '../../../src/metrics/validate/shape-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'shapes-'))
afterAll(() => rmSync(folder, { recursive: true }))

const prefixes = `
  @prefix : <https://example.org/> .
  @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix sh: <http://www.w3.org/ns/shacl#> .`

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, prefixes + text)
  return path
}

const good = ':S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ] .'
const shipped = new URL('../../../shapes/dcat-ap/', import.meta.url).pathname

describe('shapes', () => {
  it.each(shippedModels.filter((name) => name !== 'customized'))(
    'of %s can be read',
    async (model) => {
      const paths = (shippedFiles(model) ?? []).map((name) => join(shipped, name))
      expect((await readShapes(paths)).length).toBeGreaterThan(100)
    },
  )

  it('of several files keep their blank nodes apart, and import nothing', async () => {
    const paths = [
      file('a.ttl', good),
      file('b.ttl', `${good} : owl:imports <http://127.0.0.1:9/x> .`),
    ]
    const quads = await readShapes(paths)
    const blank = quads.filter(({ object }) => object.termType === 'BlankNode')
    expect(new Set(blank.map(({ object }) => object.value)).size).toBe(2)
    expect(quads.some(({ predicate }) => predicate.value.endsWith('imports'))).toBe(false)
  })

  it.each([
    ['broken.ttl', ':S a sh:NodeShape ;; sh:targetClass', /broken\.ttl: .*\(line \d+\)/],
    ['empty.ttl', '', /no shape has a target/],
    ['aimless.ttl', good.replace('sh:targetClass :T ;', ''), /no shape has a target/],
    ['sparql.ttl', `${good} :S sh:sparql [ sh:select "" ] .`, /shacl#sparql is not supported/],
    ['pattern.ttl', good.replace('sh:minCount 1', 'sh:pattern "("'), /no regular expression/],
    ['shapes.docx', good, /suffix is none of RDF/],
  ])('in %s are refused with the name of the file and the reason', async (name, text, reason) => {
    const attempt = readShapes([file(name, text)])
    await expect(attempt).rejects.toThrow(reason)
    await expect(attempt).rejects.toThrow(name)
  })

  it('in a file that is not there are refused with its path', async () => {
    await expect(readShapes([join(folder, 'missing.ttl')])).rejects.toThrow(/missing\.ttl/)
  })
})

describe('schemes', () => {
  it('are those of the concepts of all vocabularies', async () => {
    const schemes = new Map(await readSchemes(join(shipped, '../vocabularies')))
    const authority = 'http://publications.europa.eu/resource/authority'
    expect(schemes.get(`${authority}/language/DEU`)).toBe(`${authority}/language`)
    expect(schemes.get('http://purl.org/adms/status/Completed')).toBe(
      'http://purl.org/adms/status/1.0',
    )
    expect(schemes.size).toBeGreaterThan(500)
  })
})
