// A program with the client of hey-api: it compiles without casts, and looks at the status, because
// the responses with 401, and with 403 for an inactive account, have no body.
import * as api from "../generated/client";
import { client } from "../generated/client/client.gen";

client.setConfig({ baseUrl: "https://magazine.example", auth: "mh_00001..." });

/** What the program shows for an error. */
function describe(status: number | undefined, error: api.ApiError | "" | undefined): string {
  if (status === 401) return "the API key is missing or invalid";
  const code = error && error.code; // without a body, the error is an object without fields
  if (status === 403 && !code) return "the account is inactive";
  return error && code ? `${code}: ${error.message}` : `status ${status}`;
}

export async function readMe(): Promise<api.Me> {
  const { data, error, response } = await api.getMe();
  if (!data) throw new Error(describe(response?.status, error));
  return data;
}

export async function createIssue(number: number, key: string): Promise<api.Issue> {
  const { data, error, response } = await api.createIssue({
    headers: { "Idempotency-Key": key },
    body: { number },
  });
  if (!data) throw new Error(describe(response?.status, error));
  return data;
}

export async function readStatus(id: string): Promise<string> {
  const { data, error } = await api.getSubscriptionStatus({ path: { id } });
  return data ? data.status : error.code;
}
