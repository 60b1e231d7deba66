/** One source of the corpus: what it answers, which addresses it gives, and what of it is lost. */

import type { JsonObject } from '../../../src/text/json.ts'

type Answer = {
  readonly body: string | Buffer
  readonly type: string
  readonly status?: number
}

export type Sample = {
  /** Also the catalogue and the pipe. */
  readonly name: string
  readonly importer:
    | 'rdf'
    | 'ckan'
    | 'dkan'
    | 'datajson'
    | 'opendatasoft'
    | 'udata'
    | 'arcgis'
    | 'socrata'
  /** A host of its own, for platforms that are asked by host: the address has no path. */
  readonly ownHost?: true
  /** By what the path and query below the address of the sample hold; the first that fits. `{portal}`, `{host}`: its own. */
  readonly answers: Readonly<Record<string, Answer>>
  /** What the address of the importer ends with. */
  readonly address?: string
  readonly config?: JsonObject
  /** All objects of access, download and landing page addresses in the source, with the property they stand under. */
  readonly addresses: readonly string[]
  /** The same of samples, which records of search do not have. */
  readonly samples?: readonly string[]
  /** What is lost or mended, as the run tells it: slug and detail. */
  readonly findings: readonly string[]
  /** Records that are not written: state and reason. */
  readonly lost?: readonly string[]
  /** Slug of the problem of a run that is not complete. */
  readonly problem?: string
}

/** What else a sample may say. */
export type More = Partial<Omit<Sample, 'name' | 'importer'>>

export const json = (value: unknown): Answer => ({
  body: JSON.stringify(value),
  type: 'application/json',
})

export const missing: Answer = { body: 'not here', type: 'text/plain', status: 404 }

/** An address for looking and for loading. */
export const both = (url: string) => [`accessURL ${url}`, `downloadURL ${url}`]
