"""Contracts: templates with typed fields, filled, checked and written as Markdown and DOCX."""

from dure.tools.contract.tools import contract_tools as contract_tools
