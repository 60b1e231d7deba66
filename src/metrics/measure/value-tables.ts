/** Where the tables come from: those that we ship, and newer or further ones that are stored. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromLines } from '../../rdf/lines.ts'
import { parse } from '../../rdf/parse.ts'
import { type Concept, conceptsOf, type Values, valuesOf } from './measured-values.ts'

const authority = 'http://publications.europa.eu/resource/authority/'
const schemes = {
  accessRights: `${authority}access-right`,
  fileTypes: `${authority}file-type`,
  licences: `${authority}licence`,
} as const
const files = {
  accessRights: 'access-right.ttl',
  fileTypes: 'file-type.ttl',
  licences: 'licence.ttl',
} as const
type TableName = keyof typeof schemes

type TableOptions = {
  /** With the tables that we ship. */
  readonly directory: string
  /** Schemes of stored vocabularies whose licences are known, too. */
  readonly licenceSchemes: readonly string[]
  /** Whether formats that are given as text count for the lists of machine-readable and non-proprietary ones. */
  readonly literalFormats: boolean
  /** A stored graph as N-Triples; `undefined` when there is none. */
  readonly read: (graph: string, signal: AbortSignal) => Promise<string | undefined>
}

/**
 * Reads the shipped tables now, and with every call what is stored: a vocabulary that was replaced counts from the next run
 * on. Fails when a shipped table cannot be read.
 */
export async function openValues(
  options: TableOptions,
): Promise<(signal: AbortSignal) => Promise<Values>> {
  const { directory, read } = options
  const shipped = async (name: TableName) => {
    const text = await readFile(join(directory, files[name]), 'utf8')
    const quads = await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' })
    return conceptsOf(quads)
  }
  const [accessRights, fileTypes, licences, registry] = await Promise.all([
    shipped('accessRights'),
    shipped('fileTypes'),
    shipped('licences'),
    readFile(join(directory, 'iana-media-types.txt'), 'utf8'),
  ])
  const lines = registry.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const mediaTypes = new Set(lines.map((line) => line.trim().toLowerCase()))
  const further = [...new Set([schemes.licences, ...options.licenceSchemes])]

  return async (signal) => {
    const stored = async (scheme: string): Promise<readonly Concept[]> => {
      const text = await read(scheme, signal)
      return text === undefined ? [] : conceptsOf(fromLines(text))
    }
    const [newerRights, newerTypes, ...newerLicences] = await Promise.all([
      stored(schemes.accessRights),
      stored(schemes.fileTypes),
      ...further.map(stored),
    ])
    return valuesOf({
      accessRights: [...accessRights, ...newerRights],
      fileTypes: [...fileTypes, ...newerTypes],
      licences,
      furtherLicences: newerLicences.flat(),
      mediaTypes,
      literalFormats: options.literalFormats,
    })
  }
}
