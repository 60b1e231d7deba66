/**
 * The week of an operator, with the commands of README.md and docs/ only: the package is installed and configured by a file, a pipe is
 * added, its source breaks, alerts and reports say so, what is held is confirmed, a backup is made, a new version takes over the data,
 * and the data directory is lost and restored.
 */

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rules } from '../deployment/watching.ts'
import { freePort } from '../support/engines/engine.ts'
import { client, eventually, remove, temporaryDirectory } from '../support/gateway.ts'
import { installed, packed, withVersion } from '../support/package.ts'
import { prefixes } from '../support/repository.ts'
import { city, type City } from './harvesting/city.ts'

/** `UPGRADE_FROM=cartulary-0.1.0.tgz` begins the week with a package that was made before. */
const olderPackage = process.env['UPGRADE_FROM']
const settings = ['--env-file', 'cartulary.env']

const pipeText = (
  address: string,
) => `header: { id: city, name: city, transport: payload, version: 2.0.0 }
body:
  segments:
    - header: { name: importing-rdf, segmentNumber: 1 }
      body: { config: { address: "${address}", catalogue: city, hostDelayMs: 0 } }
    - header: { name: exporting-hub, segmentNumber: 2 }
`

describe('the week of an operator', () => {
  let folder: string
  let site: string
  let program: string
  let newer: string
  let url: string
  let platform: ChildProcess | undefined
  let source: City
  const output: string[] = []
  const api = async () =>
    client({ url, key: (await readFile(join(site, 'data/api-key'), 'utf8')).trim() })

  beforeAll(async () => {
    folder = await temporaryDirectory()
    site = join(folder, 'site')
    source = await city(40)
    const tarball = await packed(folder)
    newer = await withVersion(tarball, '0.2.0')
    program = await installed(olderPackage ?? tarball, site)
  }, 600_000)
  afterAll(async () => {
    platform?.kill('SIGKILL')
    await source.end()
    await remove(folder)
  })

  const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  const start = async () => {
    output.length = 0
    platform = spawn(program, ['start', ...settings], { cwd: site, env: environment })
    for (const stream of [platform.stdout, platform.stderr])
      stream?.on('data', (part) => output.push(String(part)))
    const isReady = () => Promise.resolve(output.join('').includes('is ready'))
    expect((await eventually(isReady, 60_000)) || output.join('')).toBe(true)
  }
  const stop = async () => {
    const ended = once(platform!, 'exit')
    platform!.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  }
  /** Runs a command line in the directory of the operator, and resolves with what it prints. */
  const cartulary = async (line: string, code = 0): Promise<string> => {
    const child = spawn(program, [...line.split(' '), ...settings], { cwd: site, env: environment })
    let [printed, errors] = ['', '']
    child.stdout.on('data', (part) => (printed += String(part)))
    child.stderr.on('data', (part) => (errors += String(part)))
    const [ended] = (await once(child, 'close')) as [number | null]
    expect([line, ended, ended === code ? '' : printed + errors]).toEqual([line, code, ''])
    return printed + errors
  }

  /** Whether an alert of the shipped rules would fire after its time, by its expression on the present numbers. */
  async function fires(name: string): Promise<boolean> {
    const { expr = '' } = rules().find(({ alert }) => alert === name) ?? {}
    const [, metric, comparison, bound] = /^max by \(pipe\) \((\w+)\) (==|>) (\d+)$/.exec(expr)!
    const numbers = await (await fetch(`${url}/metrics`)).text()
    const line = numbers.split('\n').find((one) => one.startsWith(`${metric}{pipe="city"} `))
    const value = Number(line?.split(' ')[1])
    return comparison === '==' ? value === Number(bound) : value > Number(bound)
  }

  /** Numbers that need a look at files are a few seconds old. */
  const expectAlert = async (name: string, is: boolean) =>
    expect([name, await eventually(async () => (await fires(name)) === is)]).toEqual([name, true])

  const ids = async (): Promise<readonly string[]> => {
    const { repo, json } = await api()
    return json(`${repo}/catalogues/city/datasets?valueType=originalIds&limit=100`)
  }
  const tagOf = async (id: string) => {
    const { repo } = await api()
    return (await fetch(`${repo}/datasets/${id}`)).headers.get('ETag')
  }
  let tags: Record<string, string | null>
  const isAsBefore = async () => {
    for (const [id, tag] of Object.entries(tags)) expect([id, await tagOf(id)]).toEqual([id, tag])
    expect(await cartulary('console triggers city')).toContain('nightly')
    const run = await cartulary('pipe run city')
    expect(run).toMatch(/finished/)
    expect(await ids()).toHaveLength(12)
  }

  it('Monday: configures the installation by a file, checks it and starts it', async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    await mkdir(join(site, 'pipes'))
    const lines = [
      `PLATFORM_PORT=${port}`,
      'PLATFORM_BASE_URI=https://data.example/',
      'PLATFORM_HUB_SHELL_CONFIG={"http":{}}',
      'PLATFORM_BACKUP_CONFIG={"directory":"./backups","keep":7}',
    ]
    await writeFile(join(site, 'cartulary.env'), `${lines.join('\n')}\n`)
    expect(await cartulary('check')).toMatch(/^pipes +0 can be used$/m)
    await start()
    expect(await cartulary('status')).toMatch(/^status +up$/m)
  })

  it('Tuesday: adds a pipe, runs it, and lets it run every night', async () => {
    await writeFile(join(site, 'pipes/city.yaml'), pipeText(source.address))
    expect(await cartulary('check')).toMatch(/^pipes +1 can be used$/m)
    const { put } = await api()
    await put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
    expect(await eventually(async () => (await cartulary('pipe list')).includes('city'))).toBe(true)
    expect(await cartulary('pipe run city')).toMatch(/finished/)
    expect(await ids()).toHaveLength(40)
    const key = await readFile(join(site, 'data/api-key'), 'utf8')
    const trigger = [{ id: 'nightly', status: 'enabled', cron: '0 3 * * *' }]
    const set = await fetch(`${url}/api/scheduler/triggers/city`, {
      method: 'PUT',
      headers: { 'X-API-Key': key.trim(), 'Content-Type': 'application/json' },
      body: JSON.stringify(trigger),
    })
    expect(set.ok).toBe(true)
  })

  it('Wednesday: the source breaks; the alert and the report say so, until it is back', async () => {
    await expectAlert('CartularyHarvestFailed', false)
    source.status = 500
    expect(await cartulary('pipe run city', 1)).toMatch(/500/)
    await expectAlert('CartularyHarvestFailed', true)
    expect(await cartulary('status')).toMatch(/^scheduler .*failing.*city/m)
    expect(await cartulary('pipe runs city -n 1')).toMatch(/failed/)
    expect(await ids()).toHaveLength(40)
    source.status = 200
    await cartulary('pipe run city')
    await expectAlert('CartularyHarvestFailed', false)
  })

  it('Thursday: most of the source is gone; the removals wait until they are confirmed', async () => {
    for (const n of source.datasets.keys()) if (n >= 12) source.datasets.delete(n)
    await cartulary('pipe run city')
    expect(await ids()).toHaveLength(40)
    await expectAlert('CartularyRemovalsHeld', true)
    const [, run = ''] = /([0-9a-f-]{36})/.exec(await cartulary('pipe runs city -n 1')) ?? []
    expect(await cartulary(`console run ${run}`)).toMatch(/held/)
    expect(await cartulary(`pipe confirm ${run}`, 2)).toContain('--yes')
    await cartulary(`pipe confirm ${run} --yes`)
    expect(await eventually(async () => (await ids()).length === 12)).toBe(true)
    await expectAlert('CartularyRemovalsHeld', false)
    const datasets = await ids()
    tags = Object.fromEntries(
      await Promise.all(datasets.map(async (id) => [id, await tagOf(id)] as const)),
    )
    expect(Object.values(tags)).not.toContain(null)
  })

  it('Friday: makes a backup and verifies it', async () => {
    expect(await cartulary('backup backups/friday.tar.zst --with-key')).toMatch(/datasets 12/)
    expect(await cartulary('verify backups/friday.tar.zst')).toMatch(/datasets 12/)
    expect(await cartulary('status')).toMatch(/^backup +last 20/m)
  })

  it('Saturday: installs a new version, which takes over the data', async () => {
    await stop()
    await installed(newer, site)
    expect(await cartulary('check')).toMatch(/^data +.*last opened by 0\.1\.0/m)
    await cartulary('migrate --check')
    await start()
    expect(await cartulary('status')).toMatch(/^version +0\.2\.0$/m)
    await isAsBefore()
  })

  it('Sunday: the disk of the data burns; the backup is restored, and all is as before', async () => {
    platform!.kill('SIGKILL')
    await once(platform!, 'exit')
    await expect(tagOf('city-1')).rejects.toThrow('fetch failed')
    await rm(join(site, 'data'), { recursive: true })
    await cartulary('restore backups/friday.tar.zst')
    await start()
    await isAsBefore()
    await expectAlert('CartularyHarvestFailed', false)
  })
})
