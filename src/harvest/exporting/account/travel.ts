/** What a run's pipe says beside the importer: what is made of records on their way, and where they go. */

import { createHash } from 'node:crypto'
import { configured } from '../../../pipe/configure.ts'
import { resolver } from '../../../pipe/discovery.ts'
import type { JsonObject, Pipe } from '../../../pipe/document.ts'
import { placesOf } from '../../../pipe/pipe-check.ts'
import type { SegmentPlace } from '../../../pipe/segment.ts'
import { canonicalJson } from '../../importers/import-config.ts'
import { dayMs, type Ground } from './ground.ts'

export type Travel = {
  /** Digest of everything between import and export; `''` when there is nothing. */
  readonly transformation: string
  /** How long an unchanged record is left alone. */
  readonly forceMs: number
  /** Config and place of the exporter. */
  readonly exporter: { readonly config: JsonObject; readonly place: SegmentPlace } | undefined
}

/** `undefined`: the run or its pipe is not known here. */
export function travelOf(ground: Ground, runId: string): Travel | undefined {
  const run = ground.runs.get(runId)
  const known = run && ground.sources().find(run.pipe)
  if (!known) return undefined
  const { configs } = ground.runs.resumption(runId).start
  const pipe = configured(known.pipe, configs)
  const { trust, directory } = known
  const places = placesOf(pipe, { trust, directory, configs })
  const resolve = resolver(ground.serviceDiscovery, ground.kinds())
  const steps = pipe.body.segments.map((segment, index) => {
    const found = resolve(segment)
    const place = places[index] ?? { trust: 'foreign' }
    const kind = found.kind === 'built-in' ? found.segment : undefined
    return { segment, place, kind, isExport: kind?.job === 'export' }
  })
  const last = steps.findIndex(({ isExport }) => isExport)
  const between = steps.slice(1, last < 0 ? steps.length : last)
  const told = between.map(({ segment, place, kind }) => {
    const { header, body } = segment
    const opened = kind?.open(body.config, place)
    const shape = opened?.ok === true ? opened.shape : undefined
    return canonicalJson(shape ?? [header.name, body.config, body.endpoint ?? null])
  })
  const target = steps[last]
  return {
    transformation: told.length === 0 ? '' : digest(told.join('\n')),
    forceMs: (forceDaysOf(pipe) ?? ground.config.forceDays) * dayMs,
    exporter: target && { config: target.segment.body.config, place: target.place },
  }
}

const forceDaysOf = ({ body }: Pipe): number | undefined => {
  const told = body.segments.map((segment) => segment.body.config['forceDays'])
  return told.find((days) => typeof days === 'number')
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
