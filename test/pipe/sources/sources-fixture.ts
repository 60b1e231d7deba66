/** A folder, a log that can be read and open sources for tests; everything is gone afterwards. */

import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { clusterConfig } from '../../../src/config/cluster.ts'
import { logger } from '../../../src/log.ts'
import {
  openSources,
  type PipeSources,
  type PipeSourceOptions,
} from '../../../src/pipe/sources/pipe-sources.ts'

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal })

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'cartulary-pipes-'))
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true })
  })
  return path
}

/** Writes as careful tools do: whole or not at all. */
export async function put(folder: string, path: string, content: unknown): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  await writeFile(`${target}.part`, text)
  await rename(`${target}.part`, target)
}

export type SourcesFixture = PipeSources & {
  readonly names: () => string[]
  readonly lines: string[]
}

/** Sources over `{root}/pipes`; polls seldom unless told otherwise. */
export async function sourcesFixture(
  root: string,
  cluster: unknown = {},
  more: Partial<PipeSourceOptions> = {},
): Promise<SourcesFixture> {
  const lines: string[] = []
  const sources = await openSources({
    directory: join(root, 'pipes'),
    cluster: clusterConfig.parse(cluster),
    scratch: join(root, 'scratch'),
    pollMs: 600_000,
    log: logger('debug', { write: (line) => lines.push(line) }),
    pause,
    check: () => [],
    ...more,
  })
  onTestFinished(() => sources.stop())
  const names = () => sources.list().map(({ pipe }) => pipe.header.name)
  return Object.assign(sources, { lines, names })
}

export const timeoutSignal = () => AbortSignal.timeout(30_000)
