// A program with openapi-fetch: it compiles without casts, and looks at the status, because the
// responses with 401, and with 403 for an inactive account, have no body.
import createClient from "openapi-fetch";
import type { components, paths } from "../generated/types";

type Schemas = components["schemas"];

const client = createClient<paths>({
  baseUrl: "https://magazine.example",
  headers: { Authorization: "Bearer mh_00001..." },
});

/** What the program shows for an error. */
function describe(response: Response, error: Schemas["ApiError"] | "" | undefined): string {
  if (response.status === 401) return "the API key is missing or invalid";
  if (response.status === 403 && !error) return "the account is inactive";
  return error ? `${error.code}: ${error.message}` : `status ${response.status}`;
}

export async function readMe(): Promise<Schemas["Me"]> {
  const { data, error, response } = await client.GET("/v1/me/");
  if (!data) throw new Error(describe(response, error));
  return data;
}

export async function createIssue(number: number, key: string): Promise<Schemas["Issue"]> {
  const { data, error, response } = await client.POST("/v1/issues/", {
    params: { header: { "Idempotency-Key": key } },
    body: { number },
  });
  if (!data) throw new Error(describe(response, error));
  return data;
}

export async function readStatus(id: string): Promise<string> {
  const { data, error } = await client.GET("/v1/subscriptions/{id}/status/", {
    params: { path: { id } },
  });
  return data ? data.status : error.code;
}
