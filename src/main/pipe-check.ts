/** Check of pipes without a platform: the same complaints about segments and their configurations as those of the scheduler. */

import type { Config } from '../config/config.ts'
import type { ExportContext } from '../harvest/export/export-run.ts'
import { harvestKinds, type HarvestOptions } from '../harvest/harvest.ts'
import { logger } from '../log.ts'
import { metricsKinds } from '../metrics/metrics-service.ts'
import { shippedModels } from '../metrics/validate/shape-files.ts'
import { pipeCheck, secretCheck } from '../pipe/pipe-check.ts'
import { plainQueuesFor, segmentResolver } from '../pipe/segment-resolver.ts'
import type { PipeFolder } from '../pipe/sources/pipe-files.ts'
import { type Secrets, secretRegistry } from '../secrets.ts'
import { clock } from './clock.ts'

/** Makes a part that segments use in runs: members other than the known ones throw when they are called. */
function partOfRuns<Part extends object>(known: Partial<Part> = {}): Part {
  const refuse = () => {
    throw new Error('a check of pipes has called a part of runs')
  }
  const get = (target: Partial<Part>, name: string | symbol): unknown =>
    Reflect.has(target, name) ? Reflect.get(target, name) : refuse
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its other members cannot be used
  return new Proxy(known, { get }) as Part
}

/** Makes the check of pipes of a configuration. */
export function checkOfPipes(config: Config): PipeFolder['check'] {
  const { cluster, eventBus, metrics, services } = config
  const secrets = secretRegistry(config.secrets)
  const names = [...new Set([...shippedModels, ...Object.keys(metrics.shapeModels)])]
  const measuring = {
    validation: partOfRuns<MeasuringDeps['validation']>({ models: () => names }),
    weights: partOfRuns<MeasuringDeps['weights']>(),
    reach: partOfRuns<MeasuringDeps['reach']>(),
    values: () => Promise.reject(new Error('a check of pipes measures nothing')),
  }
  const kinds = [
    ...kindsOfHarvest(config, secrets),
    ...(services.includes('metrics')
      ? metricsKinds({ config: metrics, now: clock.now }, measuring)
      : []),
  ]
  const resolve = segmentResolver(cluster.serviceDiscovery, kinds, plainQueuesFor(eventBus))
  const [configs, references] = [pipeCheck(resolve), secretCheck(resolve, secrets)]
  return (pipe, place) => [...configs(pipe, place), ...references(pipe)]
}

type MeasuringDeps = Parameters<typeof metricsKinds>[1]

function kindsOfHarvest({ baseUri, cluster, harvest, limits, services }: Config, secrets: Secrets) {
  const options: HarvestOptions = {
    ...clock,
    config: harvest,
    outbound: partOfRuns(),
    repository: services.includes('repo') ? partOfRuns() : undefined,
    serviceDiscovery: cluster.serviceDiscovery,
    key: { ownRepository: () => '', otherRepository: () => '' },
    secret: (name) => secrets.named(name)?.reveal(),
    runs: partOfRuns(),
    sources: partOfRuns,
    log: logger('silent'),
    scratch: '',
    directory: '',
    ownHost: new URL(baseUri).host,
    transforms: { scriptMs: limits.scriptMs, scriptBytes: limits.scriptBytes },
  }
  const context: ExportContext = {
    ...options,
    ledger: partOfRuns(),
    countChange: () => Promise.resolve(),
    active: new Map(),
    kinds: () => [],
  }
  return harvestKinds(options, context)
}
