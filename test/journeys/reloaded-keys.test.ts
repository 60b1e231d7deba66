/** Keys and secrets in files are read again at SIGHUP, and the process goes on. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'

let directory: string
beforeAll(async () => {
  directory = await temporaryDirectory()
})
afterAll(() => remove(directory))

const put = (platform: Gateway, key: string) =>
  fetch(`${platform.url}/api/hub/repo/catalogues/city`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': 'text/turtle' },
    body: '<> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
  })
const isValid = async (platform: Gateway, key: string) =>
  [201, 304].includes((await put(platform, key)).status)

describe('a platform whose keys are in a file', () => {
  const [first, second] = ['first-key-of-the-office', 'second-key-of-the-office']
  let platform: Gateway
  let file: string
  beforeAll(async () => {
    file = join(directory, 'keys.json')
    writeFileSync(file, JSON.stringify({ [first]: ['*'] }))
    platform = await gateway(join(directory, 'one'), {
      PLATFORM_HUB_API_KEYS_FILE: file,
      PLATFORM_LOG_LEVEL: 'info',
    })
  })
  afterAll(() => platform.stop())

  it('knows the new keys after SIGHUP, and the old ones no more', async () => {
    expect(await isValid(platform, first)).toBe(true)
    writeFileSync(file, JSON.stringify({ [second]: ['*'] }))
    expect(await isValid(platform, second)).toBe(false)
    platform.process.kill('SIGHUP')
    expect(await eventually(() => isValid(platform, second))).toBe(true)
    expect(await isValid(platform, first)).toBe(false)
    expect(platform.log()).toContain('keys.reloaded')
    expect(platform.log()).not.toContain(second)
  })

  it('keeps them when the file has problems, and says so', async () => {
    writeFileSync(file, '{"broken"')
    platform.process.kill('SIGHUP')
    const isSaid = () => Promise.resolve(platform.log().includes('keys.reload-failed'))
    expect(await eventually(isSaid)).toBe(true)
    expect(await isValid(platform, second)).toBe(true)
  })
})

it('a generated key whose file was removed is another one after SIGHUP', async () => {
  const platform = await gateway(join(directory, 'two'))
  const file = join(directory, 'two', 'api-key')
  rmSync(file)
  expect(await isValid(platform, platform.key)).toBe(true)
  platform.process.kill('SIGHUP')
  expect(await eventually(async () => !(await isValid(platform, platform.key)))).toBe(true)
  expect(await isValid(platform, readFileSync(file, 'utf8').trim())).toBe(true)
  await platform.stop()
})
