/** Copies of triplestores by their own means, as docs/operations.md says, and new servers that have the copy. */

import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { eventually } from '../support/gateway.ts'
import type { Engine } from '../support/engines/engine.ts'
import { ownFuseki } from '../support/engines/fuseki.ts'
import { ownVirtuoso } from '../support/engines/virtuoso.ts'

const run = promisify(execFile)

/** `POST /$/backup/{dataset}`, and the file loaded into an empty dataset. */
async function copiedFuseki({ config, directory = '' }: Engine): Promise<Engine> {
  const { origin } = new URL(config.graphEndpoint)
  const begun = await fetch(`${origin}/$/backup/ds`, { method: 'POST' })
  const { taskId } = (await begun.json()) as { readonly taskId: string }
  const isDone = async () => {
    const task: unknown = await (await fetch(`${origin}/$/tasks/${taskId}`)).json()
    return Object.hasOwn(Object(task), 'finished')
  }
  expect(await eventually(isDone)).toBe(true)
  const folder = join(directory, 'base/backups')
  const [file = ''] = await readdir(folder)
  const copy = await ownFuseki()
  const loaded = await fetch(copy.config.graphEndpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/n-quads' },
    body: gunzipSync(await readFile(join(folder, file))),
  })
  expect(loaded.ok).toBe(true)
  return copy
}

/** `backup_online`, and `+restore-backup` into an empty directory. */
async function copiedVirtuoso({ config, directory = '' }: Engine): Promise<Engine> {
  const { username = '', password = '' } = config
  const settings = await readFile(join(directory, 'virtuoso.ini'), 'utf8')
  const address = /ServerPort\s*=\s*(127\S+)/.exec(settings)?.[1] ?? ''
  const folder = join(directory, 'load')
  const command = `backup_context_clear(); backup_online('copy-', 30000, 0, vector('${folder}'));`
  await run('isql-vt', [address, username, password, `exec=${command}`])
  return ownVirtuoso(password, async (other) => {
    const database = join(other, 'db')
    await mkdir(database, { recursive: true })
    const parts = await readdir(folder)
    expect(parts).toContain('copy-1.bp')
    for (const part of parts) await copyFile(join(folder, part), join(database, part))
    const words = ['+foreground', '+configfile', join(other, 'virtuoso.ini')]
    await run('virtuoso-t', [...words, '+restore-backup', 'copy-'], { cwd: database })
  })
}

/** Makes a copy of a server that this run has started, while it is written. */
export const copied = { fuseki: copiedFuseki, virtuoso: copiedVirtuoso } as const
