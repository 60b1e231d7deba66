/**
 * Plan of an export, from the pipe of its run: exporter, transformers, and the time after which unchanged records are written
 * again.
 */

import { hash } from 'node:crypto'
import type { ClusterConfig } from '../../config/cluster.ts'
import { segmentResolver } from '../../pipe/segment-resolver.ts'
import { withConfigs, segmentPlaces } from '../../pipe/pipe-check.ts'
import type { Runs } from '../../pipe/runs/run-history.ts'
import type { SegmentKind, SegmentPlace } from '../../pipe/segment.ts'
import type { PipeSources } from '../../pipe/sources/pipe-sources.ts'
import type { JsonObject } from '../../text/json.ts'
import { canonicalJson } from '../importers/import-config.ts'
import { dayMs } from '../../text/duration.ts'

/** The runs and pipes that plans are made from. */
type PlanContext = {
  readonly runs: Pick<Runs, 'get' | 'resumption'>
  readonly sources: () => Pick<PipeSources, 'find'>
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  /** Kinds of segments that this process runs. */
  readonly kinds: () => readonly SegmentKind[]
  readonly config: { readonly forceDays: number }
}

/** Result of `exportPlan`. */
type ExportPlan = {
  /**
   * SHA-256 of the transformers and their configs, so that a change of them writes every record again; `''` without
   * transformers.
   */
  readonly transformersHash: string
  /**
   * Age of its last write in ms at which an unchanged record is written again: `forceDays` of the first segment that sets it,
   * else of the configuration.
   */
  readonly forceMs: number
  /** Config and place of the first exporter; `undefined` if the pipe has none in this process. */
  readonly exporter: { readonly config: JsonObject; readonly place: SegmentPlace } | undefined
}

/** Makes the plan of a run; `undefined` if this process does not know the run or its pipe. */
export function exportPlan(context: PlanContext, runId: string): ExportPlan | undefined {
  const run = context.runs.get(runId)
  const file = run && context.sources().find(run.pipe)
  if (!file) return undefined
  const { configs } = context.runs.resumption(runId).start
  const pipe = withConfigs(file.pipe, configs)
  const { segments } = pipe.body
  const { trust, directory } = file
  const places = segmentPlaces(pipe, { trust, directory, configs })
  const resolve = segmentResolver(context.serviceDiscovery, context.kinds())
  const steps = segments.map((segment, index) => {
    const entry = resolve(segment)
    const kind = entry.kind === 'built-in' ? entry.segment : undefined
    return { segment, kind, place: places[index] ?? ({ trust: 'foreign' } as const) }
  })
  const exporterIndex = steps.findIndex(({ kind }) => kind?.job === 'export')
  const digests = steps
    .slice(1, exporterIndex < 0 ? steps.length : exporterIndex)
    .map(({ segment: { header, body }, place, kind }) => {
      const opened = kind?.open(body.config, place)
      const digest = opened?.ok === true ? opened.outputHash : undefined
      return canonicalJson(digest ?? [header.name, body.config, body.endpoint ?? null])
    })
  const days = segments.map(({ body }) => body.config['forceDays'])
  const forceDays = days.find((value) => typeof value === 'number') ?? context.config.forceDays
  const exporter = steps[exporterIndex]
  return {
    transformersHash: digests.length === 0 ? '' : hash('sha256', digests.join('\n'), 'hex'),
    forceMs: forceDays * dayMs,
    exporter: exporter && { config: exporter.segment.body.config, place: exporter.place },
  }
}
