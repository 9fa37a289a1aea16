"use strict";
// The description of the API, from /openapi.json.

const put = (tag, text, name) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...[text].flat());
  return element;
};

function resolve(schema, all) {
  while (schema && schema.$ref) schema = all[schema.$ref.split("/").pop()];
  return schema || {};
}

// A value that fits a schema, for the example.
function sample(given, all, name = "") {
  const schema = resolve(given, all);
  if (name === "instance") return "mine.cnf";
  if (schema.default !== undefined && schema.default !== null && schema.type !== "array") return schema.default;
  if (schema.anyOf) return schema.anyOf.some(one => one.type === "null") ? null : sample(schema.anyOf[0], all, name);
  if (schema.type === "object" && schema.properties) {
    const wanted = Object.entries(schema.properties).filter(([key]) => (schema.required || []).includes(key) || key === "instance");
    return Object.fromEntries(wanted.map(([key, inner]) => [key, sample(inner, all, key)]));
  }
  if (name === "features") return { "structure.clauses": 3518, "structure.variables": 670, "…": 0 };
  if (schema.type === "array") return [sample(schema.items, all)];
  if (schema.type === "number" || schema.type === "integer") return 1;
  return "";
}

function curl(path, method, operation, all) {
  const query = (operation.parameters || []).filter(one => one.required).map(one => `${one.name}=${one.name.toUpperCase()}`);
  const address = `'${location.origin}${path}${query.length ? "?" + query.join("&") : ""}'`;
  if (method === "get") return `curl ${address}`;
  const content = operation.requestBody.content;
  if (content["multipart/form-data"]) return `curl -F files=@problem.cnf ${address}\ncurl -F files=@domain.pddl -F files=@problem.pddl ${address}`;
  if (content["text/csv"]) return `curl -H 'Content-Type: text/csv' --data-binary @features.csv ${address}`;
  const body = JSON.stringify(sample(content["application/json"].schema, all), null, 1);
  return `curl -H 'Content-Type: application/json' ${address} -d '${body}'`;
}

function fields(operation, all) {
  const rows = (operation.parameters || []).map(one => [one.name, "query" + (one.required ? ", needed" : ""), one.description || one.schema?.description || ""]);
  const json = operation.requestBody?.content?.["application/json"];
  if (json) {
    const schema = resolve(json.schema, all);
    for (const [name, inner] of Object.entries(schema.properties || {}))
      rows.push([name, "body" + ((schema.required || []).includes(name) ? ", needed" : ""), resolve(inner, all).description || inner.description || ""]);
  }
  const table = put("table", "");
  for (const row of rows) {
    const line = put("tr", row.map(text => put("td", text)));
    line.firstChild.replaceChildren(put("code", row[0]));
    table.append(line);
  }
  return rows.length ? table : "";
}

async function show() {
  const api = await (await fetch("/openapi.json")).json(), all = api.components?.schemas || {};
  const parts = [];
  for (const [path, methods] of Object.entries(api.paths)) for (const [method, operation] of Object.entries(methods)) {
    const title = put("h3", [put("span", method.toUpperCase(), "method"), " " + path]);
    const text = put("p", (operation.description || "").replace(/\s+/g, " "), "soft");
    parts.push(put("section", [title, put("strong", operation.summary.replaceAll("`", "")), text, fields(operation, all),
      put("pre", curl(path, method, operation, all))], "card endpoint"));
  }
  document.getElementById("docs").replaceChildren(...parts);
}

show();
