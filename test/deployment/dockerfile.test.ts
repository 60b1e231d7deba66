/** The container images: pinned, without root, made of files that exist; the gateway's starts with what it copies. */

import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/engines/engine.ts'
import { eventually, remove, temporaryDirectory } from '../support/gateway.ts'
import { all, env, read, root } from './reading.ts'

const files = [
  'Dockerfile',
  ...['fuseki', 'virtuoso', 'meilisearch'].map((name) => `compose/${name}/Dockerfile`),
]
const stages = (path: string) => all(path, 'FROM').map((words) => words.split(' '))
/** What is copied from the folder that is built, by source and target. */
const copied = (path: string): [string[], string][] =>
  all(path, 'COPY')
    .filter((words) => !words.startsWith('--from'))
    .map((words) => [words.split(' ').slice(0, -1), words.split(' ').at(-1) ?? ''])
const command = (words: string | undefined) => JSON.parse(words ?? '') as string[]

describe.each(files)('%s', (path) => {
  it('starts from images of one version', () => {
    const names = stages(path).map(([image]) => image ?? '')
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((image) => !/:v?\d+\.\d+(\.\d+)?\S*$/.test(image))).toEqual([])
  })

  it('copies only what is there, and nothing from the net that is not pinned', () => {
    const missing = copied(path)
      .flatMap(([sources]) => sources)
      .filter((source) => !existsSync(join(root, dirname(path), source)))
    expect(missing).toEqual([])
    expect(all(path, 'ADD').filter((words) => !words.includes('--checksum=sha256:'))).toEqual([])
  })

  it('ends as a user other than root, with a folder for its data', () => {
    expect(all(path, 'USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(all(path, 'VOLUME')).toHaveLength(1)
  })
})

describe('the image of the gateway', () => {
  it('is built of one base image, by its digest', () => {
    const images = new Set(stages('Dockerfile').map(([image]) => image))
    expect(images.size).toBe(1)
    expect([...images][0]).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  it('runs on the Node that the checkout brings along, and on nothing older', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    const versions = new Set(Object.values(optionalDependencies))
    const images = new Set(
      stages('Dockerfile').map(([image]) => /^node:([\d.]+)-/.exec(image ?? '')?.[1]),
    )
    expect(images).toEqual(versions)
  })

  it('starts the program under flags that take less memory than its own', () => {
    const [entry, start] = [
      command(all('Dockerfile', 'ENTRYPOINT')[0]),
      all('Dockerfile', 'CMD').at(-1),
    ]
    expect(command(start)).toEqual(['start'])
    expect(entry.slice(0, 3)).toEqual(['node', '--import', './src/compile-cache.js'])
    // The program replaces itself where it finds no such flag.
    expect(entry).toContain('--max-semi-space-size=4')
    expect(entry.at(-1)).toBe('bin/cartulary.js')
    // The first start, which leaves what is compiled behind, has to be one under the same flags.
    expect(read('Dockerfile')).toContain(`${entry.join(' ')} start &`)
  })

  it('is built from nothing but what it copies', () => {
    const open = read('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
    const sources = copied('Dockerfile').flatMap(([names]) => names)
    expect(open[0]).toBe('*')
    expect(new Set(open.slice(1))).toEqual(new Set(sources.map((source) => `!${source}`)))
  })
})

describe('what the image of the gateway holds', () => {
  let directory: string
  let environment: NodeJS.ProcessEnv
  const app = () => join(directory, 'app')
  const [, check = ''] = (all('Dockerfile', 'HEALTHCHECK')[0] ?? '').split(/ CMD /)

  /** The folder that the Dockerfile makes: its copies, and the packages that `npm ci` would install. */
  function build(): void {
    mkdirSync(app())
    for (const [sources, target] of copied('Dockerfile')) {
      for (const source of sources) {
        cpSync(join(root, source), join(app(), target, target === './' ? source : ''), {
          recursive: true,
        })
      }
    }
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
    }
    for (const [place, { dev, optional, devOptional }] of Object.entries(packages)) {
      if (place === '' || dev || optional || devOptional) continue
      cpSync(join(root, place), join(app(), place), { recursive: true })
    }
  }

  const healthy = (other: NodeJS.ProcessEnv = {}) =>
    promisify(execFile)(process.execPath, command(check).slice(1), {
      env: { ...environment, ...other },
    }).then(
      () => true,
      () => false,
    )

  beforeAll(async () => {
    directory = await temporaryDirectory()
    build()
    environment = {
      PATH: process.env['PATH'],
      ...env('Dockerfile'),
      PLATFORM_HOST: '127.0.0.1',
      PLATFORM_PORT: String(await freePort()),
      PLATFORM_DATA_DIR: join(directory, 'data'),
    }
  }, 120_000)
  afterAll(() => remove(directory))

  it('starts the platform without the packages for development, is healthy then, and stops when it is told to', async () => {
    expect(await healthy()).toBe(false)
    const [, ...entry] = command(all('Dockerfile', 'ENTRYPOINT')[0])
    const words = [...entry, ...command(all('Dockerfile', 'CMD').at(-1))]
    const child = spawn(process.execPath, words, {
      cwd: app(),
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    expect((await eventually(healthy, 90_000)) || output).toBe(true)
    const administration = { PLATFORM_ADMIN_PORT: environment['PLATFORM_PORT'], PLATFORM_PORT: '1' }
    expect(await healthy(administration)).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(output).toContain('is ready')
  }, 120_000)
})
