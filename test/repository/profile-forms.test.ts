/** `GET /profile/forms/{type}`: public JSON with a tag that follows from the profile and its shapes. */

import { expect, test } from 'vitest'
import { repository } from '../support/repository.ts'

test('a form is public, and 304 for who has it', async () => {
  const repo = await repository()
  const answer = await repo.app.request('/profile/forms/datasets')
  expect(answer.status).toBe(200)
  const form = (await answer.json()) as { class: string; sections: { id: string }[] }
  expect(form.class).toBe('http://www.w3.org/ns/dcat#Dataset')
  expect(form.sections.map(({ id }) => id)).toContain('essentials')
  const headers = { 'If-None-Match': answer.headers.get('ETag') ?? '' }
  expect((await repo.app.request('/profile/forms/datasets', { headers })).status).toBe(304)
  expect((await repo.app.request('/profile/forms/unknown')).status).toBe(404)
  await repo.close()
})
